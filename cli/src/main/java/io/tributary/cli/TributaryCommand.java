package io.tributary.cli;

import java.util.ServiceLoader;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The program as a whole. It knows all commands that are on its class path, to tell of them and to complete them. What
 * has a JVM of its own, or none, the launcher starts by itself.
 */
@Command(
        name = "tributary",
        description = "Tributary, an MQTT broker",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = HelpCommand.class,
        footer = {
            "",
            "Environment:",
            "  TRIBUTARY_JAVA_HOME   the JDK to use; otherwise JAVA_HOME, java on the PATH, and the usual places",
            "  TRIBUTARY_JAVA_OPTS   more options for the broker's JVM, after those of etc/jvm.options",
            "                        (in a cluster for each node's; also of bench)",
            "  TRIBUTARY_MEMORY      what the broker may have in all, such as 2g: heap and direct memory are then those",
            "                        of 'tributary size'; in the image, the container's limit",
            "  TRIBUTARY_EXPECTED_CLIENTS   how many clients a node is to have",
            "  TRIBUTARY_PERF_OPTS   more options for the JVM of perf"
        })
public final class TributaryCommand implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    private TributaryCommand() {}

    /** Called by the launcher with all words that are not for a command of its own. */
    public static void main(String[] words) {
        System.exit(commandLine(ServiceLoader.load(Subcommand.class)).execute(words));
    }

    static CommandLine commandLine(Iterable<Subcommand> commands) {
        CommandLine line = new CommandLine(new TributaryCommand());
        line.setCommandName(Program.name());
        commands.forEach(command -> line.addSubcommand(command.commandLine()));
        return Program.prepare(line);
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "it needs a command");
    }

    @Command(
            name = "train",
            description = "Record a start of the broker, so that later ones take half the time. It writes a file"
                    + " to lib; after an update of the JDK, do it again.")
    void train() {
        atLauncher();
    }

    @Command(
            name = "size",
            description = "Say how memory is shared out, and how many files must be allowed: of this container, or of"
                    + " --memory=2g (a size), --clients=10000 (a number), --cluster (a node of a cluster).")
    void size() {
        atLauncher();
    }

    @Command(name = "version", description = "Say the version, the commit and the Java that it would run with")
    void version() {
        atLauncher();
    }

    private static void atLauncher() {
        throw new UsageException("the launcher does this: bin/tributary");
    }

    @Command(
            name = "completion",
            description = "Print the completion for bash and zsh, as in: source <(tributary completion)")
    void completion() {
        spec.commandLine().getOut().print(AutoComplete.bash("tributary", spec.commandLine()));
        spec.commandLine().getOut().flush();
    }
}
