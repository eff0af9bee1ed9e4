package io.tributary.perf.command;

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
import io.tributary.perf.scenario.ScenarioException;
import io.tributary.perf.scenario.ScenarioFile;
import io.tributary.perf.target.TargetException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The command {@code ./tributary perf}: {@code run}, {@code list}, {@code show}, {@code compare}, {@code runner}.
 *
 * <p>Exit codes: 0 done; 1 it failed; 2 it was called wrongly; 3 the load tool was the bottleneck, so there is no
 * result; 4 messages were lost.
 */
public final class PerfCommand {
    private static final int DONE = 0;
    private static final int FAILED = 1;
    private static final int WRONG_USE = 2;

    private final Path root;
    private final String commit;
    private final PrintStream out;
    private final PrintStream err;

    PerfCommand(Path root, String commit, PrintStream out, PrintStream err) {
        this.root = root;
        this.commit = commit;
        this.out = out;
        this.err = err;
    }

    /**
     * Called by the launcher, with what it was called with after {@code perf}.
     *
     * @param arguments the directory of the sources, the commit, then the words of the command
     */
    public static void main(String[] arguments) {
        List<String> words = List.of(arguments);
        PerfCommand command = new PerfCommand(Path.of(words.get(0)), words.get(1), System.out, System.err);
        System.exit(command.run(words.subList(2, words.size())));
    }

    /** Does what the words say; answers the exit code. */
    int run(List<String> words) {
        try {
            if (words.isEmpty()) {
                throw new UsageException(
                        "perf needs one of run, list, show, compare, runner; see ./tributary perf help");
            }
            List<String> rest = words.subList(1, words.size());
            return switch (words.getFirst()) {
                case "run" -> new RunCommand(root, commit, out, err).run(rest);
                case "list" -> list();
                case "show" -> show(rest);
                case "compare" -> compare(rest);
                case "runner" -> runner(rest);
                case "help", "--help", "-h" -> help();
                default ->
                    throw new UsageException(
                            "there is no 'perf " + words.getFirst() + "'; there are run, list, show, compare, runner");
            };
        } catch (UsageException | ScenarioException e) {
            err.println("tributary: " + e.getMessage());
            return WRONG_USE;
        } catch (RunException | CrewException | ConnectException | TargetException e) {
            err.println("tributary: " + e.getMessage());
            return FAILED;
        } catch (IOException e) {
            err.println("tributary: " + e);
            return FAILED;
        }
    }

    private int help() {
        out.print(Help.TEXT);
        return DONE;
    }

    private int list() {
        for (String name : Library.names()) {
            ScenarioFile file = Library.find(name);
            int runs = file.combinations();
            out.printf(
                    Locale.ROOT,
                    "%-22s %s%s%n%22s   %s%n",
                    name,
                    file.title(),
                    runs == 1 ? "" : " (" + runs + " runs)",
                    "",
                    file.parameters());
        }
        return DONE;
    }

    private int show(List<String> words) {
        Arguments arguments = new Arguments(words, Set.of(), Set.of());
        for (String name : arguments.names()) {
            out.println(Library.find(name).text());
        }
        return DONE;
    }

    private int compare(List<String> words) throws IOException {
        Arguments arguments = new Arguments(words, Set.of("--out", "--title"), Set.of());
        List<RunResult> runs = new ArrayList<>();
        for (String name : arguments.names()) {
            Path path = Path.of(name);
            runs.addAll(read(Files.isDirectory(path) ? path.resolve("result.json") : path));
        }
        if (runs.isEmpty()) {
            throw new UsageException("compare needs result files, or directories with a result.json");
        }
        Path directory = Path.of(arguments.value("--out").orElse("perf-comparison"));
        Files.createDirectories(directory);
        String markdown = MarkdownReport.of(runs);
        Files.writeString(directory.resolve("report.md"), markdown);
        Files.writeString(
                directory.resolve("report.html"),
                HtmlReport.of(arguments.value("--title").orElse("Comparison"), runs));
        out.println(markdown.lines().takeWhile(line -> !line.isBlank()).reduce("", (a, b) -> a + b + "\n"));
        String warning = MarkdownReport.warning(runs);
        if (!warning.isEmpty()) {
            err.println("tributary: " + warning);
        }
        err.println("Written to " + directory + ": report.md, report.html");
        return DONE;
    }

    private static List<RunResult> read(Path file) {
        try {
            return ResultFile.read(file).runs();
        } catch (IOException e) {
            throw new UsageException(file + " is no result of perf run", e);
        }
    }

    private int runner(List<String> words) {
        Arguments arguments = new Arguments(words, Set.of("--connect", "--secret-file"), Set.of());
        String place = arguments
                .value("--connect")
                .orElseThrow(
                        () -> new UsageException("runner needs --connect HOST:PORT, where the orchestrator listens"));
        String file = arguments
                .value("--secret-file")
                .orElseThrow(() -> new UsageException("runner needs --secret-file, with what the orchestrator has"));
        Runner.work(Addresses.parse(place), Secret.in(Path.of(file)));
        return DONE;
    }
}
