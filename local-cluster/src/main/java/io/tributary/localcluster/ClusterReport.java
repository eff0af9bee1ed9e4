package io.tributary.localcluster;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.tributary.cli.Program;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What {@code cluster status} prints.
 *
 * @param bootstrapServers where Kafka's clients begin, as a list with commas
 * @param redisNodes where Redis's clients begin, as a list with commas
 */
record ClusterReport(String directory, String bootstrapServers, String redisNodes, List<ClusterPart> processes) {
    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private static final String LINE = "%-9s %-8s %8s   %s%n";

    ClusterReport {
        processes = List.copyOf(processes);
    }

    private static ClusterReport of(Path directory, LocalCluster cluster) {
        return new ClusterReport(
                directory.toString(), cluster.kafkaAddresses(), cluster.redisAddresses(), cluster.parts());
    }

    /** For programs. */
    static void printJson(PrintWriter out, Path directory, LocalCluster cluster) {
        try {
            out.println(JSON.writeValueAsString(of(directory, cluster)));
        } catch (IOException e) {
            throw new LocalClusterException("the status cannot be written as JSON", e);
        }
    }

    /** For people: a table, and what to do next. */
    static void print(PrintWriter out, Path directory, LocalCluster cluster) {
        ClusterReport report = of(directory, cluster);
        out.printf(LINE, "NAME", "STATE", "PID", "PORTS");
        for (ClusterPart part : report.processes) {
            out.printf(LINE, part.name(), part.state(), part.pid() == 0 ? "-" : part.pid(), ports(part));
        }
        out.println();
        out.println("Logs      " + directory + "/NAME.log");
        report.processes.stream()
                .filter(part -> part.role().equals("node"))
                .findFirst()
                .ifPresent(node -> out.println("Connect   an MQTT client to any node, such as 127.0.0.1:"
                        + node.ports().get("mqtt") + ", or ws://127.0.0.1:"
                        + node.ports().get("ws") + "/mqtt"));
        out.println("Kafka     " + report.bootstrapServers);
        out.println("Redis     " + report.redisNodes);
        out.println("Kill      " + Program.name() + " cluster kill NAME --dir " + directory + "   (and: start NAME)");
        out.println("Stop      " + Program.name() + " cluster down --dir " + directory);
    }

    private static String ports(ClusterPart part) {
        return part.ports().entrySet().stream()
                .map(port -> port.getKey() + " " + port.getValue())
                .collect(Collectors.joining(", "));
    }
}
