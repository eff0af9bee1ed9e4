package io.tributary.server;

import io.tributary.cli.Program;
import io.tributary.cli.Subcommand;
import io.tributary.cli.UsageException;
import io.tributary.server.ManagementClient.FailedException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

/** The command {@code tributary drain}: empties a running broker before it is stopped. */
@Command(name = "drain", description = DrainCommand.WHAT, footer = DrainCommand.EXIT_CODES)
public final class DrainCommand implements Subcommand, Runnable {
    static final String WHAT =
            "Empty a running broker before it is stopped: it is not ready any more, and serves its clients; then they are sent"
                    + " away; then other nodes take its shards over; then it is safe to stop.";
    static final String EXIT_CODES =
            "Exit codes: 0 done, with --wait when it is safe to stop; 1 it failed, or the drain was"
                    + " taken back or given up; 2 wrong use.";

    private static final Duration POLL = Duration.ofMillis(500);

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ManagementClient client = new ManagementClient();

    @Option(
            names = "--node",
            paramLabel = "NAME",
            description =
                    "The node that is meant; another one refuses. At the broker of this machine it may be left out.")
    private @Nullable String node;

    @Option(
            names = "--serve-for",
            paramLabel = "TIME",
            description =
                    "How long clients are served before they are sent away, so that load balancers notice (0s; of a drain"
                            + " that goes on, as it is).")
    private @Nullable String serveFor;

    @Option(
            names = "--rate",
            paramLabel = "N",
            description =
                    "How many clients are sent away a second, 0 for all at once (tributary.stop.drain-rate; of a drain"
                            + " that goes on, as it is).")
    private @Nullable Integer rate;

    @Option(names = "--wait", description = "Return when it is safe to stop.")
    private boolean wait;

    @Option(names = "--cancel", description = "Take a drain back.")
    private boolean cancel;

    @Option(names = "--status", description = "Say how far it is.")
    private boolean status;

    /** Called by the launcher, with what it was called with after {@code drain}. */
    public static void main(String[] words) {
        Program.main(new DrainCommand(), words);
    }

    @Override
    public boolean explains(Exception failure) {
        return failure instanceof FailedException;
    }

    @Override
    public void run() {
        boolean begins = !cancel && !status;
        if ((cancel && status) || (!begins && (serveFor != null || rate != null || wait))) {
            throw new UsageException("--cancel and --status go with no other option but --node");
        }
        Long seconds = serveFor == null ? null : Long.valueOf(seconds("--serve-for", serveFor));
        JsonNode answer;
        if (status) {
            answer = client.send("GET", "node/drain", null);
        } else if (cancel) {
            answer =
                    client.send("DELETE", "node/drain?node=" + URLEncoder.encode(name(), StandardCharsets.UTF_8), null);
        } else {
            answer = client.sendAgain("POST", "node/drain", order(seconds));
        }
        say(answer);
        if (wait) {
            await(answer);
        }
    }

    private Map<String, Object> order(@Nullable Long seconds) {
        Map<String, Object> order = new LinkedHashMap<>();
        order.put("node", name());
        if (seconds != null) {
            order.put("serveForSeconds", seconds);
        }
        if (rate != null) {
            order.put("rate", rate);
        }
        return order;
    }

    /** Whoever reaches a node of another machine through a balancer must say which one. */
    private String name() {
        if (node != null) {
            return node;
        }
        if (!client.isHere()) {
            throw new UsageException(
                    "--node is missing: behind --url there may be another node than the one that is meant");
        }
        return client.sendAgain("GET", "node/drain", null).path("node").asString("");
    }

    private void await(JsonNode first) {
        JsonNode now = first;
        String said = text(now);
        while (!now.path("safeToStop").asBoolean(false)) {
            if (now.path("phase").asString("").equals("serving")) {
                String why = now.path("givenUp").asString("");
                throw new FailedException(
                        why.isEmpty() ? "the drain was taken back" : "the drain was given up: " + why);
            }
            now = client.askAgain("node/drain", POLL);
            String text = text(now);
            if (!text.equals(said)) {
                say(now);
                said = text;
            }
        }
    }

    private void say(JsonNode answer) {
        spec.commandLine().getOut().println(text(answer));
        spec.commandLine().getOut().flush();
    }

    private static String text(JsonNode answer) {
        String phase = answer.path("phase").asString("");
        String words = switch (phase) {
            case "serving" -> "is not drained";
            case "announced" -> "is not ready any more, and serves its clients";
            case "sending_away" -> "sends its clients away";
            case "handing_over" -> "waits for " + answer.path("waitsFor").asString("");
            case "safe" -> "safe to stop";
            default -> phase;
        };
        return answer.path("node").asString("") + ": " + words;
    }

    /** A time as settings have it, in seconds; it needs its unit, for settings without one are milliseconds. */
    static long seconds(String option, String text) {
        if (!text.matches("[0-9]{1,6}[smhd]")) {
            throw new UsageException(option + " needs a time such as 150s or 5m, not '" + text + "'");
        }
        return DurationStyle.SIMPLE.parse(text).toSeconds();
    }
}
