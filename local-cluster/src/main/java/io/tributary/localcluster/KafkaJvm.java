package io.tributary.localcluster;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** The JVM that Kafka's programs run in: this one's, with the class path that the build has listed. */
final class KafkaJvm {
    private static final String LISTING = "kafka.classpath";

    /** A system property that tests set: a server lives for seconds, and nobody measures it. */
    private static final String SHORT_LIVED = "localcluster.short-lived";

    private static final List<String> STARTS_SOON = List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");
    private static final List<String> AS_KAFKA_DOES = List.of("-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20");

    private static final String LOGGING = """
            <configuration>
              <appender name="OUT" class="ch.qos.logback.core.ConsoleAppender">
                <encoder><pattern>%d{HH:mm:ss.SSS} %-5p [%t] %c{1} %m%n</pattern></encoder>
              </appender>
              <root level="INFO"><appender-ref ref="OUT"/></root>
              <!-- Hundreds of settings at each start. -->
              <logger name="org.apache.kafka.common.config.AbstractConfig" level="WARN"/>
            </configuration>
            """;

    private KafkaJvm() {}

    /** How a program is run whose options {@link #write} has put into this directory. */
    static List<String> command(Path directory, String mainClass) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "@" + options(directory, mainClass));
    }

    /** In a file, so that the command line is short and tells one server from another. */
    private static Path options(Path directory, String mainClass) {
        return directory.resolve(mainClass + ".options");
    }

    /** Writes the options of a program's JVM, and its arguments, into this directory, which there is. */
    static void write(Path directory, String mainClass, String... arguments) throws IOException {
        String classPath = classPath();
        Path logging = directory.resolve("logback.xml");
        List<String> words = new ArrayList<>(Boolean.getBoolean(SHORT_LIVED) ? STARTS_SOON : AS_KAFKA_DOES);
        words.addAll(List.of(
                "-Xms64m",
                "-Xmx512m",
                "-XX:+ExitOnOutOfMemoryError",
                // Classes as they were loaded last time: half the start-up time. Kept by the JVM when it ends in
                // order.
                "-XX:+AutoCreateSharedArchive",
                "-XX:SharedArchiveFile=" + archive(directory, mainClass, classPath),
                "-Xlog:aot=off",
                "-Xlog:cds=off",
                "--sun-misc-unsafe-memory-access=allow",
                "-Dlogback.configurationFile=" + logging,
                "-cp",
                classPath,
                mainClass));
        words.addAll(List.of(arguments));
        Files.writeString(logging, LOGGING);
        PrivateFile.write(
                options(directory, mainClass),
                words.stream().map(KafkaJvm::quoted).toList());
    }

    private static String quoted(String word) {
        return '"' + word.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    /** Where this module's classes are: its {@code target/classes}, or a jar. */
    private static Path classes() {
        CodeSource source = KafkaJvm.class.getProtectionDomain().getCodeSource();
        try {
            return Path.of(source.getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new LocalClusterException("the place of this module's classes has no path: " + source, e);
        }
    }

    /**
     * The JVM would go on with, and ignore, an archive of another class path; so each has its own. Tests share it in
     * {@code target}, also once this module is a jar there; an installed program may not be written to, so that a
     * cluster has it beside its data. Sharing is safe: a JVM writes to a new file, its header last, and one that reads
     * half of an archive does without.
     */
    private static Path archive(Path directory, String mainClass, String classPath) {
        String name = mainClass + "-" + Integer.toHexString(classPath.hashCode()) + ".jsa";
        boolean inTarget = Files.isDirectory(classes()) || Boolean.getBoolean(SHORT_LIVED);
        return inTarget ? classes().resolveSibling(name) : directory.resolveSibling(name);
    }

    /** The jars that the listing beside the classes names; one without a directory is beside it. */
    private static String classPath() {
        Path listing = classes().resolveSibling(LISTING);
        try {
            return Arrays.stream(Files.readString(listing).strip().split(File.pathSeparator, -1))
                    .map(jar -> listing.resolveSibling(jar).normalize().toString())
                    .collect(Collectors.joining(File.pathSeparator));
        } catch (IOException e) {
            throw new LocalClusterException(
                    listing + " cannot be read; the Maven build of local-cluster (or one with -am) writes it", e);
        }
    }
}
