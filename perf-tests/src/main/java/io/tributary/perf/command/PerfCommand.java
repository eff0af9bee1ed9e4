package io.tributary.perf.command;

import io.tributary.cli.Program;
import io.tributary.cli.Subcommand;
import io.tributary.cli.UsageException;
import io.tributary.perf.client.ConnectException;
import io.tributary.perf.client.CrewException;
import io.tributary.perf.report.HtmlReport;
import io.tributary.perf.report.MarkdownReport;
import io.tributary.perf.result.ResultFile;
import io.tributary.perf.result.RunResult;
import io.tributary.perf.run.Addresses;
import io.tributary.perf.run.RunException;
import io.tributary.perf.run.Runner;
import io.tributary.perf.run.Secret;
import io.tributary.perf.scenario.Library;
import io.tributary.perf.scenario.ScenarioFile;
import io.tributary.perf.target.TargetException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * The command {@code tributary perf}: {@code run}, {@code find-rate}, {@code paper}, {@code list}, {@code show}, {@code
 * compare}, {@code runner}.
 *
 * <p>Exit codes beside those of the program: 3 the load tool was the bottleneck, so there is no result; 4 messages were
 * lost or refused.
 */
@Command(
        name = "perf",
        synopsisSubcommandLabel = "COMMAND",
        description = "Brings load on a broker, ours or another, and judges what comes out.",
        subcommands = {RunCommand.class, FindRateCommand.class, PaperCommand.class},
        footer = {
            "",
            "Exit codes: 0 done, 1 failed, 2 called wrongly, 3 the tool was the bottleneck: no result, 4 messages were lost or refused"
        })
public final class PerfCommand implements Subcommand, Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** Called by the launcher, with what it was called with after {@code perf}. */
    public static void main(String[] words) {
        Program.main(new PerfCommand(), words);
    }

    @Override
    public boolean explains(Exception failure) {
        return failure instanceof RunException
                || failure instanceof CrewException
                || failure instanceof ConnectException
                || failure instanceof TargetException
                || failure instanceof IOException;
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "perf needs one of " + String.join(", ", spec.subcommands().keySet()));
    }

    @Command(name = "list", description = "The built-in scenarios with their parameters.")
    void list() {
        for (String name : Library.names()) {
            ScenarioFile file = Library.find(name);
            int runs = file.combinations();
            out().printf(
                            Locale.ROOT,
                            "%-22s %s%s%n%22s   %s%n",
                            name,
                            file.title(),
                            runs == 1 ? "" : " (" + runs + " runs)",
                            "",
                            file.parameters());
        }
    }

    @Command(name = "show", description = "The text of a scenario.")
    void show(@Parameters(arity = "1..*", paramLabel = "SCENARIO") List<String> scenarios) {
        for (String name : scenarios) {
            out().println(Library.find(name).text());
        }
    }

    @Command(name = "compare", description = "Results side by side.")
    void compare(
            @Parameters(
                            arity = "1..*",
                            paramLabel = "RESULT",
                            description = "Result files, or directories with a result.json.")
                    List<Path> files,
            @Option(
                            names = "--out",
                            paramLabel = "DIRECTORY",
                            defaultValue = "perf-comparison",
                            description = "For report.md and report.html (${DEFAULT-VALUE}).")
                    Path directory,
            @Option(names = "--title", defaultValue = "Comparison", description = "Of report.html.") String title)
            throws IOException {
        List<RunResult> runs = new ArrayList<>();
        for (Path file : files) {
            runs.addAll(read(Files.isDirectory(file) ? file.resolve("result.json") : file));
        }
        Files.createDirectories(directory);
        String markdown = MarkdownReport.of(runs);
        Files.writeString(directory.resolve("report.md"), markdown);
        Files.writeString(directory.resolve("report.html"), HtmlReport.of(title, runs));
        out().println(markdown.lines().takeWhile(line -> !line.isBlank()).reduce("", (a, b) -> a + b + "\n"));
        String warning = MarkdownReport.warning(runs);
        if (!warning.isEmpty()) {
            spec.commandLine().getErr().println("tributary: " + warning);
        }
        spec.commandLine().getErr().println("Written to " + directory + ": report.md, report.html");
    }

    private static List<RunResult> read(Path file) {
        try {
            return ResultFile.read(file).runs();
        } catch (IOException e) {
            throw new UsageException(file + " is no result of perf run", e);
        }
    }

    @Command(
            name = "runner",
            description = "Runs clients for an orchestrator: a perf run --listen, on this machine or another.")
    void runner(
            @Option(
                            names = "--connect",
                            required = true,
                            paramLabel = "HOST:PORT",
                            description = "Where the orchestrator listens, within ten minutes.")
                    String place,
            @Option(
                            names = "--secret-file",
                            required = true,
                            paramLabel = "FILE",
                            description = "What the orchestrator has, too.")
                    Path secret) {
        Runner.work(
                Addresses.parse(place), Secret.in(secret), spec.commandLine().getErr());
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
