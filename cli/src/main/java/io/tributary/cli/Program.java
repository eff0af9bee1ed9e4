package io.tributary.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * This program: how it was called, as the launcher tells in system properties, and how its commands are carried out.
 *
 * <p>Exit codes: 0 done, 1 it failed, 2 it was called wrongly; a command may have more.
 */
public final class Program {
    /** Of a command that failed. */
    public static final int FAILED = 1;

    /** Of a command that was called wrongly. */
    public static final int WRONG_USE = 2;

    private static final int WIDTH = 110;

    private Program() {}

    /** The program as it was typed, for commands that messages name: {@code tributary} or {@code ./tributary}, say. */
    public static String name() {
        return System.getProperty("launcher.command", "tributary");
    }

    /** The script that starts this program; without a word from it, the one on the PATH. */
    public static Path launcher() {
        return Path.of(System.getProperty("launcher.path", "tributary"));
    }

    /** The commit that this program was built from. */
    public static String commit() {
        return System.getProperty("launcher.commit", "unknown");
    }

    /** Carries a command out and ends this JVM with its exit code. */
    public static void main(Subcommand command, String... words) {
        System.exit(commandLine(command).execute(words));
    }

    /** A command with the program's way to fail. Its name in help is {@code tributary NAME}. */
    public static CommandLine commandLine(Subcommand command) {
        CommandLine line = prepare(command.commandLine());
        line.setCommandName(name() + " " + line.getCommandName());
        return line;
    }

    static CommandLine prepare(CommandLine line) {
        addHelp(line);
        line.setExpandAtFiles(false);
        line.setUsageHelpWidth(WIDTH);
        line.registerConverter(Integer.class, Program::number);
        line.registerConverter(int.class, Program::number);
        line.setParameterExceptionHandler(Program::wrongUse);
        line.setExecutionExceptionHandler((failure, where, _) -> failed(failure, where));
        return line;
    }

    private static Integer number(String text) {
        try {
            return Integer.valueOf(text);
        } catch (NumberFormatException e) {
            throw new TypeConversionException("'" + text + "' is not a whole number");
        }
    }

    private static void addHelp(CommandLine line) {
        if (line.getCommandSpec().findOption("--help") == null) {
            line.getCommandSpec()
                    .addOption(OptionSpec.builder("-h", "--help")
                            .usageHelp(true)
                            .description("Say what it does and which options it has.")
                            .build());
        }
        line.getSubcommands().values().forEach(Program::addHelp);
    }

    private static int wrongUse(ParameterException e, String... words) {
        CommandLine where = e.getCommandLine();
        PrintWriter err = where.getErr();
        err.println("tributary: " + e.getMessage() + suggestion(e));
        err.println("See: " + where.getCommandSpec().qualifiedName() + " --help");
        return WRONG_USE;
    }

    /** What a word was meant to be: the command or option to which at most a third of its letters must change. */
    private static String suggestion(ParameterException e) {
        if (!(e instanceof UnmatchedArgumentException unmatched)) {
            return "";
        }
        CommandSpec spec = e.getCommandLine().getCommandSpec();
        String word = unmatched.getUnmatched().getFirst().replaceFirst("=.*", "");
        return Stream.concat(spec.subcommands().keySet().stream(), spec.optionsMap().keySet().stream())
                .filter(name -> EditDistance.between(name, word)
                        <= (word.replace("-", "").length() + 2) / 3)
                .min(Comparator.comparingInt(name -> EditDistance.between(name, word)))
                .map(name -> "; did you mean " + name + "?")
                .orElse("");
    }

    private static int failed(Exception failure, CommandLine where) {
        PrintWriter err = where.getErr();
        List<Subcommand> commands = subcommands(where);
        if (failure instanceof UsageException || commands.stream().anyMatch(command -> command.isWrongUse(failure))) {
            err.println("tributary: " + failure.getMessage());
            return WRONG_USE;
        }
        if (commands.stream().anyMatch(command -> command.explains(failure))) {
            err.println("tributary: " + failure.getMessage()
                    + (failure.getCause() == null ? "" : " (" + failure.getCause() + ")"));
        } else {
            failure.printStackTrace(err);
        }
        return FAILED;
    }

    /** The command itself, and those that it is one of. */
    private static List<Subcommand> subcommands(CommandLine where) {
        List<Subcommand> found = new ArrayList<>();
        for (@Nullable CommandLine line = where; line != null; line = line.getParent()) {
            if (line.getCommand() instanceof Subcommand command) {
                found.add(command);
            }
        }
        return found;
    }
}
