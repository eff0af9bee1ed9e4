package io.tributary.server;

import io.tributary.cli.Program;
import io.tributary.cli.Subcommand;
import io.tributary.cli.UsageException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The command {@code tributary run}: a broker in this JVM.
 *
 * <p>Described by calls, not by annotations: to read these takes as long as a tenth of the start.
 */
public final class RunCommand implements Subcommand, Runnable {
    private static final int LAST_PORT = 65_535;
    private static final String PORT = "--port";
    private static final String WS_PORT = "--ws-port";
    private static final String DATA = "--data";

    private final CommandSpec spec = CommandSpec.wrapWithoutInspection(this).name("run");
    private List<String> settings = List.of();

    /** With the options of the command. */
    public RunCommand() {
        spec.addOption(option(PORT, "N", "MQTT over TCP (1883); short for --tributary.listeners.tcp.port=N."));
        spec.addOption(option(WS_PORT, "N", "MQTT over WebSocket (8083); short for --tributary.listeners.ws.port=N."));
        spec.addOption(option(DATA, "DIR", "Where messages are kept (data); short for --tributary.data-dir=DIR."));
        spec.parser().unmatchedArgumentsAllowed(true);
        spec.usageMessage()
                .customSynopsis("tributary run [--port=N] [--ws-port=N] [--data=DIR] [--KEY=VALUE...]")
                .description(
                        "Start a broker; it runs until it gets SIGTERM or SIGINT (Ctrl-C).",
                        "",
                        "--KEY=VALUE is any setting of the broker, as in its configuration file tributary.yaml, such as"
                                + " --tributary.storage.sync=always. docs/configuration.md lists all.");
    }

    private static OptionSpec option(String name, String value, String description) {
        return OptionSpec.builder(name)
                .type(String.class)
                .paramLabel(value)
                .description(description)
                .build();
    }

    @Override
    public CommandLine commandLine() {
        return new CommandLine(spec);
    }

    /** Called by the launcher, with what it was called with after {@code run}. */
    public static void main(String[] words) {
        // The usual start of a service: nothing to translate, and no time for a parser.
        if (Arrays.stream(words).allMatch(RunCommand::isSetting)) {
            TributaryApplication.main(words);
            return;
        }
        RunCommand command = new RunCommand();
        CommandLine line = Program.commandLine(command);
        int code = line.execute(words);
        if (code != 0) {
            System.exit(code);
        }
        // Not where help was asked for. It returns when the broker runs, on threads of its own.
        if (!line.isUsageHelpRequested()) {
            TributaryApplication.main(command.settings.toArray(String[]::new));
        }
    }

    /** Translates the words to settings. */
    @Override
    public void run() {
        ParseResult given = spec.commandLine().getParseResult();
        List<String> others = given.unmatched();
        for (String word : others) {
            if (!isSetting(word)) {
                throw new UnmatchedArgumentException(spec.commandLine(), List.of(word));
            }
        }
        List<String> all = new ArrayList<>();
        add(all, others, PORT, "tributary.listeners.tcp.port", port(PORT, given.matchedOptionValue(PORT, null)));
        add(
                all,
                others,
                WS_PORT,
                "tributary.listeners.ws.port",
                port(WS_PORT, given.matchedOptionValue(WS_PORT, null)));
        add(all, others, DATA, "tributary.data-dir", directory(given.matchedOptionValue(DATA, null)));
        all.addAll(others);
        settings = List.copyOf(all);
    }

    List<String> settings() {
        return settings;
    }

    /** Spring's form; its keys have a dot, but for {@code --debug}. */
    static boolean isSetting(String word) {
        return word.equals("--debug") || word.matches("--[^=]*\\.[^=]*=.*");
    }

    /** Two values would be joined, and neither be meant. */
    private static void add(
            List<String> all, List<String> others, String option, String setting, @Nullable String value) {
        if (value == null) {
            return;
        }
        String argument = "--" + setting + "=";
        if (others.stream().anyMatch(other -> other.startsWith(argument))) {
            throw new UsageException(option + " (" + setting + ") is given twice; give it once");
        }
        all.add(argument + value);
    }

    private static @Nullable String port(String option, @Nullable String value) {
        if (value == null) {
            return null;
        }
        if (!value.matches("[0-9]+")) {
            throw new UsageException(option + " needs a port number, not '" + value + "'");
        }
        if (value.length() > 5 || Integer.parseInt(value) > LAST_PORT) {
            throw new UsageException(option + ": there is no port " + value);
        }
        return value;
    }

    private static @Nullable String directory(@Nullable String directory) {
        if (directory == null) {
            return null;
        }
        if (directory.isEmpty()) {
            throw new UsageException(DATA + " needs a directory");
        }
        return Path.of(directory).toAbsolutePath().toString();
    }
}
