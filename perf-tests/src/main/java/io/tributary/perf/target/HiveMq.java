package io.tributary.perf.target;

import io.tributary.perf.target.TargetContext.Product;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * HiveMQ Community Edition, embedded in a Java process of its own. Its jars are fetched by Maven the first time; they
 * are no part of this build, so that none of them meets one of ours.
 */
final class HiveMq implements TargetKind {
    private static final String VERSION = "2025.5";

    @Override
    public Target start(TargetContext context) {
        context.refuseTls("HiveMQ CE");
        String classPath = classPath(context);
        int port = context.freePort();
        Path starter = context.write("HiveMqStarter.java", TargetContext.resource("HiveMqStarter.java.txt"));
        context.write("conf/config.xml", config(context, port));
        Product product = new Product(
                "HiveMQ CE",
                VERSION,
                Map.of("storage", "its default: files for persistent sessions", "queues", "max 100000 messages"));
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "--add-opens=java.base/java.nio=ALL-UNNAMED",
                "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
                "--add-opens=jdk.management/com.sun.management.internal=ALL-UNNAMED",
                "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
                "-cp",
                classPath,
                starter.toString(),
                context.directory().toString());
        return context.server(product, command, starter.toString(), port);
    }

    private static String config(TargetContext context, int port) {
        String listener = context.wire().isWebSocket() ? "websocket-listener" : "tcp-listener";
        String path = context.wire().isWebSocket() ? "<path>/mqtt</path>" : "";
        return """
                <hivemq>
                  <listeners>
                    <%1$s><port>%2$d</port><bind-address>127.0.0.1</bind-address>%3$s</%1$s>
                  </listeners>
                  <mqtt>
                    <queued-messages><max-queue-size>100000</max-queue-size></queued-messages>
                  </mqtt>
                  <anonymous-usage-statistics><enabled>false</enabled></anonymous-usage-statistics>
                </hivemq>
                """.formatted(listener, port, path);
    }

    private static String classPath(TargetContext context) {
        Path known = context.programs().resolve("hivemq-ce-" + VERSION + ".classpath");
        try {
            if (!Files.exists(known)) {
                Path maven = Programs.find("mvn")
                        .orElseThrow(() -> new TargetException(
                                "HiveMQ CE is fetched by Maven, and mvn is missing: apt-get install maven"));
                Files.createDirectories(context.programs());
                Path pom = context.write(
                        "pom.xml", TargetContext.resource("hivemq-pom.xml").replace("VERSION", VERSION));
                String said = Programs.run(
                        List.of(
                                maven.toString(),
                                "-q",
                                "-f",
                                pom.toString(),
                                "org.apache.maven.plugins:maven-dependency-plugin:3.10.0:build-classpath",
                                "-Dmdep.outputFile=" + known),
                        Map.of("JAVA_HOME", System.getProperty("java.home")));
                if (!Files.exists(known)) {
                    throw new TargetException("HiveMQ CE cannot be fetched: " + said);
                }
            }
            return Files.readString(known).strip();
        } catch (IOException e) {
            throw new TargetException("HiveMQ CE cannot be set up: " + e.getMessage(), e);
        }
    }
}
