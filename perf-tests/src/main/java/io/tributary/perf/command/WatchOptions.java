package io.tributary.perf.command;

import java.io.PrintWriter;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** What is measured besides what is known of a target. */
final class WatchOptions {
    @Option(
            names = "--pid",
            paramLabel = "NAME=PID",
            description = "A process to measure, besides those that are known (repeat it).")
    private Map<String, Long> pids = new LinkedHashMap<>();

    @Option(
            names = "--node",
            paramLabel = "NAME=URL",
            description =
                    "A node of a Tributary to measure by its metrics, such as n1=http://10.0.0.5:9093 (repeat it). A host"
                            + " name with several addresses is so many nodes.")
    private Map<String, URI> nodes = new LinkedHashMap<>();

    /**
     * What measures.
     *
     * @param err says what goes on
     */
    Measurement measurement(PrintWriter err) {
        return new Measurement(err, pids, nodes);
    }
}
