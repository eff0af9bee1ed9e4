package io.tributary.server;

import io.tributary.cli.Program;
import io.tributary.cli.Subcommand;
import io.tributary.server.ManagementClient.FailedException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

/** The command {@code tributary upgrade}: which formats the nodes of a running cluster write, and the end of that. */
@Command(name = "upgrade", description = UpgradeCommand.WHAT, footer = UpgradeCommand.EXIT_CODES)
public final class UpgradeCommand implements Subcommand, Runnable {
    static final String WHAT = "With tributary.cluster.formats=hold, nodes of a new version write what the version"
            + " before reads, so that they can be exchanged for it again, until the upgrade is finished.";
    static final String EXIT_CODES = "Exit codes: 0 done; 1 it failed; 2 wrong use.";

    private static final Duration POLL = Duration.ofMillis(500);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** Called by the launcher, with what it was called with after {@code upgrade}. */
    public static void main(String[] words) {
        Program.main(new UpgradeCommand(), words);
    }

    @Override
    public boolean explains(Exception failure) {
        return failure instanceof FailedException;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "upgrade needs a command: status or finish");
    }

    @Command(name = "status", description = "Say which format the cluster writes, and which version each node runs.")
    void status(@Mixin ManagementClient client) {
        say(client.send("GET", "cluster/upgrade", null));
    }

    @Command(
            name = "finish",
            description = "Have all nodes write the newest format that they read. The version before cannot be started"
                    + " again after that.")
    void finish(@Mixin ManagementClient client) {
        JsonNode answer = client.send("POST", "cluster/upgrade/finish", null);
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (isUnderWay(answer) && System.nanoTime() < end) {
            answer = client.askAgain("cluster/upgrade", POLL);
        }
        say(answer);
        if (isUnderWay(answer)) {
            throw new FailedException("the upgrade is finished, but a node that does not read format "
                    + answer.path("newest").asInt() + " is still there: see above");
        }
    }

    private static boolean isUnderWay(JsonNode answer) {
        return answer.path("written").asInt() < answer.path("newest").asInt();
    }

    private void say(JsonNode answer) {
        PrintWriter out = spec.commandLine().getOut();
        for (JsonNode node : answer.path("nodes")) {
            out.printf(
                    "%s: %s, formats up to %d%n",
                    node.path("node").asString(""),
                    node.path("version").asString("has not said its version"),
                    node.path("upTo").asInt());
        }
        int written = answer.path("written").asInt();
        int newest = answer.path("newest").asInt();
        JsonNode heldBy = answer.path("heldBy");
        if (isUnderWay(answer) && !heldBy.isEmpty()) {
            String nodes = heldBy.valueStream().map(node -> node.asString("")).collect(Collectors.joining(", "));
            out.println("format " + written + " is written, and " + newest + " held back by " + nodes
                    + " until `tributary upgrade finish`: the version before can be started again");
        } else if (isUnderWay(answer)) {
            out.println("format " + written + " is written until no node is there that does not read " + newest);
        } else {
            out.println("format " + written + " is written, the newest of this version; nothing is held back");
        }
        out.flush();
    }
}
