package io.tributary.perf.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.tributary.perf.client.Crew;
import io.tributary.perf.machine.Usage;
import io.tributary.perf.scenario.PlannedRun;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import jdk.net.ExtendedSocketOptions;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class RunnerTest {
    private static final Secret SECRET = Secret.random();
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final long HOUR = Duration.ofHours(1).toNanos();

    @Test
    void comesToAnOrchestratorThatStartsAfterIt() throws Exception {
        InetSocketAddress place;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            place = new InetSocketAddress(InetAddress.getLoopbackAddress(), free.getLocalPort());
        }
        StringWriter said = new StringWriter();
        Thread runner = Thread.ofVirtual().start(() -> Runner.work(place, SECRET, new PrintWriter(said, true)));
        Awaitility.await().atMost(LIMIT).until(() -> said.toString().contains("No orchestrator at " + place));
        try (Runners runners = new Runners(place, SECRET)) {
            runners.await(1, LIMIT, Runs.SILENT);
            assertThat(runners.isAnyGone()).isFalse();
        }
        assertThat(runner.join(LIMIT)).isTrue();
    }

    @Test
    void isWaitedForAgainWhenItHasGone() throws Exception {
        try (Runners runners = new Runners(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), SECRET)) {
            InetSocketAddress place = new InetSocketAddress(InetAddress.getLoopbackAddress(), runners.port());
            Thread runner = Thread.ofVirtual()
                    .uncaughtExceptionHandler((_, _) -> {}) // it is told to end
                    .start(() -> Runner.work(place, SECRET, Runs.SILENT));
            runners.await(1, LIMIT, Runs.SILENT);
            runner.interrupt();
            assertThat(runner.join(LIMIT)).isTrue();
            Awaitility.await().atMost(LIMIT).until(runners::isAnyGone);
            assertThatExceptionOfType(RunException.class)
                    .isThrownBy(() -> runners.await(1, Duration.ofMillis(200), Runs.SILENT))
                    .withMessageContaining("only 0 of 1 runners");
        }
    }

    @Test
    void isToldTheTimeForEachRunAndHowFarItsClockHasGoneWrong() throws Exception {
        AtomicLong skew = new AtomicLong();
        List<Long> offsets = new CopyOnWriteArrayList<>();
        try (Runners runners = new Runners(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), SECRET)) {
            Thread.ofVirtual().start(() -> pretend(runners.port(), skew, offsets));
            runners.await(1, LIMIT, Runs.SILENT);
            PlannedRun planned = Runs.planned("groups: [{name: pub, count: 1, publish: {topic: a, window: 1}}]");
            runners.crew(planned, 1, List.of());
            skew.set(HOUR);
            assertThat(runners.clockErrorMillis()).isGreaterThanOrEqualTo(2 * HOUR / 1e6);
            runners.crew(planned, 2, List.of());
            assertThat(runners.clockErrorMillis()).isLessThan(HOUR / 1e6);
            assertThat(offsets).hasSize(2);
            assertThat(offsets.get(0) - offsets.get(1)).isBetween(HOUR / 2, 2 * HOUR);
        }
    }

    /** A runner whose clock is wrong. */
    private static void pretend(int port, AtomicLong skew, List<Long> offsets) {
        try (Frames frames = new Frames(new Socket(InetAddress.getLoopbackAddress(), port))) {
            SECRET.greet(frames);
            while (true) {
                JsonNode question = frames.read();
                if (question.path("ask").asText().equals("offset")) {
                    offsets.add(question.path("details").path("nanos").asLong());
                }
                frames.write(Frames.message()
                        .put("id", question.path("id").asLong())
                        .set("answer", Frames.message().put("nanos", System.nanoTime() + skew.get())));
            }
        } catch (IOException e) {
            // The orchestrator is done.
        }
    }

    @Test
    void answersWhenItCannotDoWhatItIsAsked() {
        assertThat(Runner.answer(() -> {
                            throw new LinkageError("no such class");
                        })
                        .path("error")
                        .asText())
                .isEqualTo("java.lang.LinkageError: no such class");
        assertThat(Runner.answer(() -> {
                            throw new RunException("no plan");
                        })
                        .path("error")
                        .asText())
                .isEqualTo("no plan");
    }

    @Test
    void noticesThatTheOtherMachineIsGone() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket socket = new Socket(server.getInetAddress(), server.getLocalPort());
                Frames frames = new Frames(socket)) {
            assertThat(frames.isFromElsewhere()).isFalse();
            assertThat(socket.getKeepAlive()).isTrue();
            assumeTrue(socket.supportedOptions().contains(ExtendedSocketOptions.TCP_KEEPIDLE), "not on this system");
            assertThat(socket.getOption(ExtendedSocketOptions.TCP_KEEPIDLE)).isLessThanOrEqualTo(10);
        }
    }

    @Test
    void tellsWhatItsProcessTakes() {
        Crew.Own own = new Crew.Own(new Usage(1, 2, 3, 4, 5, 6, Usage.UNKNOWN, false), List.of(7L, 8L));
        assertThat(Wire.own(Wire.own(own))).isEqualTo(own);
    }

    @Test
    void isToldAddressesWithTheirNames() throws UnknownHostException {
        byte[] bytes = {10, 0, 0, 5};
        InetSocketAddress known = new InetSocketAddress(InetAddress.getByAddress("balancer", bytes), 1883);
        InetSocketAddress told = Wire.address(Wire.address(known));
        assertThat(told).isEqualTo(known);
        assertThat(told.getHostString()).isEqualTo("balancer");
        InetSocketAddress unknown = InetSocketAddress.createUnresolved("nobody.invalid", 1883);
        assertThat(Wire.address(Wire.address(unknown)).getHostString()).isEqualTo("nobody.invalid");
    }
}
