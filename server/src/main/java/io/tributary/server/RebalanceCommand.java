package io.tributary.server;

import io.tributary.broker.relocation.RebalanceStatus;
import io.tributary.cli.Program;
import io.tributary.cli.Subcommand;
import io.tributary.cli.UsageException;
import io.tributary.server.ManagementClient.FailedException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

/** The command {@code tributary rebalance}: spreads connections over the nodes of a running cluster. */
@Command(name = "rebalance", description = RebalanceCommand.WHAT, footer = RebalanceCommand.EXIT_CODES)
public final class RebalanceCommand implements Subcommand, Runnable {
    static final String WHAT =
            "Spread connections over the nodes of a running cluster: nodes with more clients than the mean send some away,"
                    + " which connect elsewhere.";
    static final String EXIT_CODES =
            "Exit codes: 0 done, with --wait when no node has too many; 1 it failed; 2 wrong use.";

    private static final Duration POLL = Duration.ofSeconds(1);

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ManagementClient client = new ManagementClient();

    @Option(names = "--rate", paramLabel = "N", description = "How many clients each node sends away a second (100).")
    private @Nullable Integer rate;

    @Option(
            names = "--tolerance",
            paramLabel = "PERCENT",
            description = "How much more than the mean a node may have (10%%).")
    private @Nullable String tolerance;

    @Option(names = "--for", paramLabel = "TIME", description = "How long it may take (10m).")
    private @Nullable String longest;

    @Option(names = "--wait", description = "Return when it is over.")
    private boolean wait;

    @Option(names = "--cancel", description = "End it, at all nodes.")
    private boolean cancel;

    @Option(names = "--status", description = "Say how connections are spread.")
    private boolean status;

    /** Called by the launcher, with what it was called with after {@code rebalance}. */
    public static void main(String[] words) {
        Program.main(new RebalanceCommand(), words);
    }

    @Override
    public boolean explains(Exception failure) {
        return failure instanceof FailedException;
    }

    @Override
    public void run() {
        boolean begins = !cancel && !status;
        if ((cancel && status) || (!begins && (rate != null || tolerance != null || longest != null || wait))) {
            throw new UsageException("--cancel and --status go with no other option");
        }
        String method = status ? "GET" : cancel ? "DELETE" : "POST";
        JsonNode answer = client.send(method, "cluster/rebalance", begins ? order() : null);
        say(answer);
        while (wait && answer.path("running").asBoolean(false)) {
            answer = client.askAgain("cluster/rebalance", POLL);
            if (!answer.path("running").asBoolean(false)) {
                say(answer);
            }
        }
        String ended = answer.path("ended").asString(RebalanceStatus.EVEN); // a node of 0.1.0 does not say
        if (wait && !ended.equals(RebalanceStatus.EVEN)) {
            throw new FailedException("connections may not be spread evenly: " + ended);
        }
    }

    private Map<String, Object> order() {
        Map<String, Object> order = new LinkedHashMap<>();
        if (rate != null) {
            order.put("rate", rate);
        }
        if (tolerance != null) {
            if (!tolerance.matches("[0-9]{1,4}%?")) {
                throw new UsageException("--tolerance needs a percentage such as 10%, not '" + tolerance + "'");
            }
            order.put("tolerance", Integer.valueOf(tolerance.replace("%", "")));
        }
        if (longest != null) {
            order.put("seconds", DrainCommand.seconds("--for", longest));
        }
        return order;
    }

    private void say(JsonNode answer) {
        PrintWriter out = spec.commandLine().getOut();
        for (JsonNode node : answer.path("nodes")) {
            out.printf(
                    "%s: %d clients%s%n",
                    node.path("node").asString(""),
                    node.path("connections").asLong(0),
                    node.path("draining").asBoolean(false) ? ", drained" : "");
        }
        boolean running = answer.path("running").asBoolean(false);
        out.println(
                running
                        ? "rebalancing, to at most " + answer.path("most").asLong(0) + " clients a node"
                        : "not rebalancing");
        out.flush();
    }
}
