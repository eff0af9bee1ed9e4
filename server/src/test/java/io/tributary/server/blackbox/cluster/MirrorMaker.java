package io.tributary.server.blackbox.cluster;

import io.tributary.localcluster.Lifetime;
import io.tributary.localcluster.LocalKafka;
import io.tributary.localcluster.Ports;
import io.tributary.localcluster.ServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Kafka's MirrorMaker 2 as a process of its own, with the file of docs/geographic.md: it copies the topic of the
 * session {@code across} from one region to another. Where one of its tasks has failed, which it never begins again by
 * itself, it is killed and started again, as the chart's probe has it. It ends with this JVM, however that ends.
 * Thread-safe.
 */
final class MirrorMaker implements AutoCloseable {
    private static final Path FILE = Path.of("..", "docs", "geographic", "mirror-maker.properties");
    private static final Path CLASS_PATH = Path.of("..", "mirror-maker", "target", "mirror-maker.classpath");
    private static final String LOGGING = """
            <configuration>
              <appender name="OUT" class="ch.qos.logback.core.ConsoleAppender">
                <encoder><pattern>%d{HH:mm:ss.SSS} %-5p [%t] %c{1} %m%n</pattern></encoder>
              </appender>
              <root level="INFO"><appender-ref ref="OUT"/></root>
              <logger name="org.apache.kafka.common.config.AbstractConfig" level="WARN"/>
            </configuration>
            """;

    private static final String FAILED = "will not recover until manually restarted";
    private static final Duration LOOK = Duration.ofSeconds(1);

    private final ServerProcess process;
    private final CountDownLatch closed = new CountDownLatch(1);

    private MirrorMaker(ServerProcess process) {
        this.process = process;
    }

    /**
     * One that does not run yet.
     *
     * @param folder what it has on disk
     * @param from the name of the region that it copies from
     * @param to the name of the region that it copies to
     * @param exactlyOnce whether a record and the position behind it are written in one transaction
     */
    static MirrorMaker in(
            Path folder, String from, LocalKafka source, String to, LocalKafka target, boolean exactlyOnce)
            throws IOException {
        Path logging = folder.resolve("mirror.xml");
        Path settings = folder.resolve(from + "-" + to + ".properties");
        Files.createDirectories(folder);
        Files.writeString(logging, LOGGING);
        String ofTheRegions = Files.readString(FILE)
                .replaceAll("\\bus\\b", "FROM")
                .replaceAll("\\beu\\b", to)
                .replace("FROM", from)
                .replaceAll("(?m)(replication\\.factor) = 3$", "$1 = 1")
                .replace("refresh.topics.interval.seconds = 30", "refresh.topics.interval.seconds = 1")
                .replace("source.support = enabled", "source.support = " + (exactlyOnce ? "enabled" : "disabled"));
        Files.writeString(
                settings,
                ofTheRegions
                        + String.join(
                                "\n",
                                from + ".bootstrap.servers = " + source.bootstrapServers(),
                                to + ".bootstrap.servers = " + target.bootstrapServers(),
                                to + ".plugin.discovery = service_load",
                                "listeners = http://127.0.0.1:" + Ports.free(),
                                ""));
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dlogback.configurationFile=" + logging,
                "-cp",
                Files.readString(CLASS_PATH).strip(),
                "org.apache.kafka.connect.mirror.MirrorMaker",
                settings.toString(),
                "--clusters",
                to);
        Path log = folder.resolve(from + "-" + to + ".log");
        return new MirrorMaker(new ServerProcess(
                        "mirror-" + from + "-" + to, command, settings.toString(), log, Lifetime.BOUND))
                .watched();
    }

    /** Starts it; what it copies tells when it is ready. */
    synchronized void start() {
        process.start();
    }

    /** Ends it with SIGKILL. */
    synchronized void kill() {
        process.kill();
    }

    /** Has it looked after until it is closed. */
    MirrorMaker watched() {
        Thread.ofVirtual().start(() -> {
            try {
                while (!closed.await(LOOK.toMillis(), TimeUnit.MILLISECONDS)) {
                    restartWhenFailed();
                }
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
        });
        return this;
    }

    private synchronized void restartWhenFailed() {
        if (closed.getCount() > 0 && process.isRunning() && process.hasLogged(FAILED)) {
            System.out.println(process.name() + ": a task has failed; it is started again");
            process.kill();
            process.start();
        }
    }

    @Override
    public synchronized void close() {
        closed.countDown();
        process.kill();
    }
}
