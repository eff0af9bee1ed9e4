package io.tributary.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tributary.cli.Program;
import io.tributary.cli.Subcommand;
import io.tributary.common.mqtt.Printable;
import io.tributary.server.ManagementClient.FailedException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

/** The command {@code tributary session}: persistent sessions of a running broker, which it lists, shows and ends. */
@Command(name = "session", description = SessionCommand.WHAT, footer = SessionCommand.EXIT_CODES)
public final class SessionCommand implements Subcommand, Runnable {
    static final String WHAT = "Look at the persistent sessions of a running broker or cluster, and end them.";
    static final String EXIT_CODES = "Exit codes: 0 done; 1 it failed, or there is no such session; 2 wrong use.";

    private static final long FOR_EVER = 0xFFFF_FFFFL;
    /** What the address of the next page has last. */
    private static final String AFTER = "&after=";

    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** Whose client is meant. */
    static final class Whose {
        @Option(names = "--tenant", paramLabel = "NAME", description = "The client's tenant; none, unless said.")
        private @Nullable String tenant;

        private String address(String clientId) {
            return "sessions?clientId=" + encoded(clientId) + parameter("tenant", tenant);
        }
    }

    /** Called by the launcher, with what it was called with after {@code session}. */
    public static void main(String[] words) {
        Program.main(new SessionCommand(), words);
    }

    @Override
    public boolean explains(Exception failure) {
        return failure instanceof FailedException;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "session needs a command: list, show or end");
    }

    @Command(
            name = "list",
            description = "List sessions that have or had subscriptions, in the order of client identifiers.")
    void list(
            @Mixin ManagementClient client,
            @Mixin Whose whose,
            @Option(
                            names = "--kind",
                            paramLabel = "KIND",
                            description = "Only those of a device, an application or a small-application.")
                    @Nullable
                    String kind,
            @Option(
                            names = "--after",
                            paramLabel = "CLIENT",
                            description = "Begin after this client identifier.",
                            defaultValue = "")
                    String after,
            @Option(
                            names = "--limit",
                            paramLabel = "N",
                            description = "How many at most, 1 to 1000 (100).",
                            defaultValue = "100")
                    int limit) {
        JsonNode page = client.send(
                "GET",
                "sessions?limit=" + limit + "&after=" + encoded(after) + parameter("tenant", whose.tenant)
                        + parameter("kind", kind),
                null);
        for (JsonNode session : page.path("items")) {
            say(text(session));
        }
        String next = page.path("next").asString("");
        if (!next.isEmpty()) {
            String last = next.substring(next.indexOf(AFTER) + AFTER.length());
            say("there are more: --after=" + ShellWord.of(URLDecoder.decode(last, UTF_8)));
        }
    }

    @Command(name = "show", description = "Show a session and its subscriptions.")
    void show(
            @Mixin ManagementClient client,
            @Mixin Whose whose,
            @Parameters(paramLabel = "CLIENT", description = "The client identifier.") String clientId) {
        JsonNode session = client.send("GET", whose.address(clientId), null);
        say(text(session));
        for (JsonNode subscription : session.path("subscriptions")) {
            say("  QoS " + subscription.path("qos").asInt() + "  "
                    + Printable.of(subscription.path("filter").asString("")));
        }
    }

    @Command(
            name = "end",
            description =
                    "End a session: its messages and subscriptions are gone, and an application's topic a minute later;"
                            + " its client is disconnected.")
    void end(
            @Mixin ManagementClient client,
            @Mixin Whose whose,
            @Parameters(paramLabel = "CLIENT", description = "The client identifier.") String clientId) {
        client.send("DELETE", whose.address(clientId), null);
        say(ShellWord.of(clientId) + ": its session has ended");
    }

    private static String parameter(String name, @Nullable String value) {
        return value == null ? "" : "&" + name + "=" + encoded(value);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, UTF_8);
    }

    private static String text(JsonNode session) {
        StringBuilder text = new StringBuilder();
        text.append(ShellWord.of(session.path("clientId").asString("")));
        text.append(": ").append(session.path("kind").asString(""));
        String user = session.path("user").asString("");
        if (!user.isEmpty()) {
            text.append(" of ").append(ShellWord.of(session.path("realm").asString("") + ":" + user));
        }
        text.append(", subscriptions: ")
                .append(session.path("subscriptionCount").asInt());
        if (!session.path("connected").isBoolean()) {
            return text.append(", this node does not know whether it is connected")
                    .toString();
        }
        if (session.path("connected").asBoolean()) {
            String node = session.path("node").asString("");
            text.append(node.isEmpty() ? ", connected" : ", connected to " + node);
        } else {
            text.append(", away since ").append(session.path("awaySince").asString(""));
        }
        if (session.path("queuedMessages").isNumber()) {
            text.append(", messages: ").append(session.path("queuedMessages").asLong());
            text.append(" (").append(session.path("queuedBytes").asLong()).append(" bytes)");
        }
        if (session.path("expirySeconds").asLong(0) == FOR_EVER) {
            text.append(", never expires");
        }
        return text.toString();
    }

    private void say(String line) {
        spec.commandLine().getOut().println(line);
        spec.commandLine().getOut().flush();
    }
}
