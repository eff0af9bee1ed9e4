package io.tributary.localcluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerProcessTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    /** Not one long sleep, which would go on alone when its shell is killed. */
    private static final String WAIT = "while :; do sleep 1; done; : ";

    @TempDir
    Path directory;

    @Test
    void saysWhichServerEndedWhileItStartedAndWhatItLogged() {
        ServerProcess server = server("first", "echo no licence; : mark-1");
        server.start();
        assertThatThrownBy(() -> server.awaitReady(() -> false, LIMIT))
                .isInstanceOf(LocalClusterException.class)
                .hasMessageContaining("first ended")
                .hasMessageContaining("no licence");
    }

    @Test
    void saysWhichServerWasNotReadyInTime() {
        ServerProcess server = server("slow", "echo starting; " + WAIT + "mark-1");
        server.start();
        Awaitility.await().atMost(LIMIT).until(() -> server.hasLogged("starting"));
        assertThatThrownBy(() -> server.awaitReady(() -> false, Duration.ZERO))
                .hasMessageContaining("slow was not ready within 0 s")
                .hasMessageContaining("starting");
        server.kill();
    }

    /** As a Kafka broker does with many partitions that were not closed in order. */
    @Test
    void isReadyHoweverMuchItHasLoggedBefore() {
        ServerProcess server =
                server("talkative", "head -c 3000000 /dev/zero | tr '\\0' x; printf '\\nready\\n'; " + WAIT + "mark-1");
        server.start();
        server.awaitReady(() -> server.hasLogged("\nready\n"), LIMIT);
        assertThat(server.hasLogged("\nready\n")).isTrue();
        assertThat(server.hasLogged("steady")).isFalse();
        server.kill();
    }

    @Test
    void readsOnlyTheLogOfThePresentStart() {
        ServerProcess server = server("s", "echo ready; : mark-1");
        server.start();
        Awaitility.await().atMost(LIMIT).until(() -> server.hasLogged("ready") && !server.isRunning());
        ServerProcess other = server("s", WAIT + "mark-1");
        other.start();
        assertThat(other.hasLogged("ready")).isFalse();
        assertThatThrownBy(() -> other.awaitReady(() -> false, Duration.ZERO))
                .hasMessageContaining("it has written nothing")
                .hasMessageNotContaining("ready\n");
        assertThatIllegalStateException().isThrownBy(other::start);
        other.kill();
        assertThat(other.isRunning()).isFalse();
    }

    @Test
    void stopsAServerThatIgnoresBeingAsked() {
        ServerProcess server = server("stubborn", "trap '' TERM; echo ready; " + WAIT + "mark-1");
        server.start();
        server.awaitReady(() -> server.hasLogged("ready"), LIMIT);
        server.stop(Duration.ofMillis(100));
        assertThat(server.isRunning()).isFalse();
    }

    @Test
    void leavesAProcessAloneThatIsNotItsOwn() {
        ServerProcess server = server("mine", WAIT + "mark-1");
        server.start();
        ServerProcess other = server("other", WAIT + "mark-2");

        other.attach(server.pid());
        assertThat(other.isRunning()).isFalse();
        other.kill();
        assertThat(server.isRunning()).isTrue();

        ServerProcess again = server("mine", WAIT + "mark-1");
        again.attach(server.pid());
        again.kill();
        assertThat(server.isRunning()).isFalse();
    }

    @Test
    void endsWithItsJvmThatIsKilledAlsoWhilePaused() throws Exception {
        assertOutlives(Lifetime.BOUND, false);
    }

    @Test
    void outlivesItsJvmWhenDetached() throws Exception {
        assertOutlives(Lifetime.DETACHED, true);
    }

    private void assertOutlives(Lifetime lifetime, boolean expected) throws Exception {
        Path pidFile = directory.resolve("pid");
        Process jvm = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Starter.class.getName(),
                        lifetime.name(),
                        directory.toString())
                .inheritIO()
                .start();
        try {
            Awaitility.await().atMost(LIMIT).until(() -> Files.exists(pidFile));
        } finally {
            jvm.destroyForcibly().waitFor();
        }
        Optional<ProcessHandle> server = ProcessHandle.of(Long.parseLong(Files.readString(pidFile)));
        if (expected) {
            assertThat(server)
                    .hasValueSatisfying(process -> assertThat(process.isAlive()).isTrue());
            server.ifPresent(ProcessHandle::destroyForcibly);
        } else {
            Awaitility.await()
                    .atMost(LIMIT)
                    .until(() -> server.filter(ServerProcessTest::works).isEmpty());
        }
    }

    /** A process whose parent does not ask for its exit code is still listed, without a command line. */
    private static boolean works(ProcessHandle process) {
        return process.isAlive() && process.info().commandLine().isPresent();
    }

    /** A JVM that starts a server, pauses it, and hangs. */
    static final class Starter {
        private Starter() {}

        public static void main(String[] arguments) throws Exception {
            Path directory = Path.of(arguments[1]);
            ServerProcess server = server(directory, Lifetime.valueOf(arguments[0]), "s", WAIT + "mark-1");
            server.start();
            server.pause();
            Path draft = directory.resolve("pid.new");
            Files.writeString(draft, Long.toString(server.pid()));
            Files.move(draft, directory.resolve("pid"));
            Thread.sleep(Duration.ofSeconds(90));
        }
    }

    private ServerProcess server(String name, String script) {
        return server(directory, Lifetime.BOUND, name, script);
    }

    private static ServerProcess server(Path directory, Lifetime lifetime, String name, String script) {
        String mark = script.substring(script.indexOf("mark-"));
        return new ServerProcess(name, List.of("sh", "-c", script), mark, directory.resolve(name + ".log"), lifetime);
    }
}
