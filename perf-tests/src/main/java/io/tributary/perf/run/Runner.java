package io.tributary.perf.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.perf.client.LocalCrew;
import io.tributary.perf.client.RunClock;
import io.tributary.perf.scenario.Plan;
import io.tributary.perf.scenario.PlannedRun;
import io.tributary.perf.scenario.Share;
import java.io.EOFException;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A process with a share of the clients: does what its orchestrator asks, until that is gone. */
public final class Runner {
    private static final int GREETING_MILLIS = 10_000;
    /** For an orchestrator that starts at the same time, and waits as long for its runners. */
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private static final Duration AGAIN = Duration.ofMillis(500);

    private final Frames frames;
    private final RunClock clock = new RunClock();
    private volatile @Nullable LocalCrew crew;

    private Runner(Frames frames) {
        this.frames = frames;
    }

    /**
     * Connects to an orchestrator, which may come ten minutes later, and works for it; returns when it has closed the
     * connection.
     *
     * @param err is told that there is none yet
     * @throws RunException if there is none within that time, or it has another secret
     */
    public static void work(InetSocketAddress orchestrator, Secret secret, PrintWriter err) {
        try (Socket socket = connect(orchestrator, err)) {
            socket.setSoTimeout(GREETING_MILLIS);
            Frames frames = new Frames(socket);
            secret.greet(frames);
            socket.setSoTimeout(0);
            new Runner(frames).work();
        } catch (IOException e) {
            throw new RunException("no work from " + orchestrator + ": " + e.getMessage(), e);
        }
    }

    private static Socket connect(InetSocketAddress orchestrator, PrintWriter err) throws IOException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        boolean isTold = false;
        while (true) {
            Socket socket = new Socket();
            try {
                // Its name may have an address only now.
                socket.connect(
                        new InetSocketAddress(orchestrator.getHostString(), orchestrator.getPort()), GREETING_MILLIS);
                return socket;
            } catch (IOException e) {
                socket.close();
                if (System.nanoTime() - deadline > 0) {
                    throw e;
                }
                if (!isTold) {
                    err.printf("No orchestrator at %s (%s); waiting for one ...%n", orchestrator, e.getMessage());
                    isTold = true;
                }
                LockSupport.parkNanos(AGAIN.toNanos());
            }
        }
    }

    private void work() throws IOException {
        try {
            while (true) {
                JsonNode question = frames.read();
                // Each on its own: what takes long shall not keep the others waiting.
                Thread.ofVirtual().start(() -> answer(question));
            }
        } catch (EOFException e) {
            // The orchestrator is done.
        } finally {
            close();
        }
    }

    private void answer(JsonNode question) {
        ObjectNode answer = answer(() -> perform(question.path("ask").asText(), question.path("details")))
                .put("id", question.path("id").asLong());
        try {
            frames.write(answer);
        } catch (IOException e) {
            frames.close();
        }
    }

    /** In any case there is one: the orchestrator waits for it. */
    static ObjectNode answer(Supplier<JsonNode> work) {
        try {
            return Frames.message().set("answer", work.get());
        } catch (Throwable e) {
            String words = e instanceof RuntimeException ? String.valueOf(e.getMessage()) : e.toString();
            return Frames.message().put("error", words);
        }
    }

    private JsonNode perform(String what, JsonNode details) {
        return switch (what) {
            case "clock" -> Frames.message().put("nanos", System.nanoTime());
            case "offset" -> done(() -> clock.setOffset(details.path("nanos").asLong()));
            case "plan" -> done(() -> plan(details));
            case "connect" -> done(() -> crew().connect(groups(details)));
            case "visit" -> done(() -> crew().visit(groups(details)));
            case "disconnect" ->
                done(() -> crew().disconnect(
                                groups(details), details.path("abruptly").asBoolean()));
            case "measure" -> done(() -> crew().measure(details.path("measured").asBoolean()));
            case "begin" ->
                done(() ->
                        crew().begin(groups(details), details.path("messages").asInt()));
            case "stall" ->
                done(() -> crew().stall(groups(details), details.path("stalled").asBoolean()));
            case "end" -> done(() -> crew().end(groups(details)));
            case "endSessions" -> done(crew()::endSessions);
            case "isDone" -> Frames.MAPPER.valueToTree(crew().isDone(groups(details)));
            case "counts" -> Wire.counts(crew().counts());
            case "snapshot" -> Wire.snapshot(crew().snapshot());
            case "sources" -> Wire.sources(crew().sources());
            case "own" -> Wire.own(crew().own().getFirst());
            case "close" -> done(this::close);
            default -> throw new RunException("this runner does not know '" + what + "': another version?");
        };
    }

    private static JsonNode done(Runnable action) {
        action.run();
        return Frames.message();
    }

    private void plan(JsonNode details) {
        Share share = new Share(
                details.path("runner").asInt(), details.path("runners").asInt());
        List<InetSocketAddress> addresses = new ArrayList<>();
        details.path("addresses").forEach(address -> addresses.add(Wire.address(address)));
        PlannedRun planned = PlannedRun.fromText(details.path("scenario").asText());
        Plan plan = new Plan(planned.scenario(), details.path("run").asInt(), share);
        crew = new LocalCrew(plan, share, addresses, clock);
    }

    private LocalCrew crew() {
        LocalCrew present = crew;
        if (present == null) {
            throw new RunException("this runner has no plan yet");
        }
        return present;
    }

    private synchronized void close() {
        LocalCrew present = crew;
        crew = null;
        if (present != null) {
            present.close();
        }
    }

    private static List<String> groups(JsonNode details) {
        List<String> groups = new ArrayList<>();
        details.path("groups").forEach(name -> groups.add(name.asText()));
        return groups;
    }
}
