package io.tributary.perf.command;

import io.tributary.cli.UsageException;
import io.tributary.perf.client.ConnectException;
import io.tributary.perf.client.CrewException;
import io.tributary.perf.paper.Published;
import io.tributary.perf.paper.PublishedRow;
import io.tributary.perf.paper.PublishedTable;
import io.tributary.perf.report.HtmlReport;
import io.tributary.perf.report.PublishedPage;
import io.tributary.perf.result.ResultFile;
import io.tributary.perf.result.RunResult;
import io.tributary.perf.run.RunException;
import io.tributary.perf.scenario.PlannedRun;
import io.tributary.perf.scenario.Step;
import io.tributary.perf.target.TargetException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code perf paper}: repeats a table of a published work, and puts what came out beside what was published. */
@Command(
        name = "paper",
        description = {
            "Repeats a published table, and writes our figures beside its own into docs/published.md.",
            "Without a name: what can be repeated, and how long it takes."
        })
final class PaperCommand implements Callable<Integer> {
    private static final Path KEPT = Path.of("perf-tests", "results", "published");
    private static final Path REPORTS = Path.of("perf-results", "published");
    private static final Path PAGE = Path.of("docs", "published.md");
    private static final String BEGIN = "<!-- published: generated -->\n";
    private static final String END = "<!-- end of published -->";
    private static final int START_SECONDS = 8;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(arity = "0..1", paramLabel = "TABLE", description = "Such as stresser-all or psmark-table-3.")
    private @Nullable String name;

    @Option(names = "--full", description = "As published, as far as one machine can; otherwise in the fast form.")
    private boolean isFull;

    @Option(
            names = "--target",
            paramLabel = "WHAT",
            description =
                    "Measures this instead, as perf run does, in a column of its own, beside what was published of"
                            + " it; $${NAME} in it is a parameter of the scenario, such as"
                            + " 'haproxy:$${policy}:3:mosquitto'.")
    private @Nullable String target;

    @Option(
            names = "--row",
            paramLabel = "TEXT",
            description =
                    "The row of this name, or those with this in their names, alone (repeat it); results of the others stay.")
    private List<String> rows = new ArrayList<>();

    @Mixin
    private WatchOptions watchOptions = new WatchOptions();

    @Option(
            names = "--repeat",
            paramLabel = "N",
            description =
                    "Each row so many times (as often as in the results that are there, of which figures are medians;"
                            + " once where there are none).")
    private @Nullable Integer repeat;

    @Mixin
    private RunnerOptions runnerOptions = new RunnerOptions();

    @Option(
            names = "--results",
            paramLabel = "DIRECTORY",
            description = "Where the results are kept (perf-tests/results/published; perf-results/published elsewhere"
                    + " than in the sources).")
    private @Nullable Path results;

    @Override
    public Integer call() throws IOException {
        Published published = Published.read();
        if (name == null) {
            list(published);
            return ExitCodes.DONE;
        }
        if (repeat != null && repeat < 1) {
            throw new UsageException("--repeat needs a number of 1 or more, not " + repeat);
        }
        PublishedTable table = published.table(name);
        if (table.runsOf() != null) {
            throw new UsageException(
                    name + " is made of the runs of " + table.runsOf() + ": perf paper " + table.runsOf());
        }
        if (target != null && table.rows().stream().anyMatch(row -> row.target() != null)) {
            throw new UsageException("--target: each row of " + name + " has a target of its own");
        }
        List<RunResult> made = new ArrayList<>();
        List<String> failed = new ArrayList<>();
        try (LocalRunners runners = LocalRunners.of(runnerOptions, err())) {
            for (PublishedRow row : chosen(table)) {
                String words = target == null ? Objects.requireNonNullElse(row.target(), table.target()) : target;
                try {
                    List<RunResult> runs = runs(table, row, words, runners);
                    made.addAll(runs);
                    // At once: a table that is broken off leaves what it has.
                    keep(table, row, words, runs.stream().map(RunResult::brief).toList());
                    report(table, made);
                } catch (RunException | CrewException | ConnectException | TargetException e) {
                    err().println("tributary: " + row.name() + " could not be run: " + e.getMessage());
                    failed.add(row.name());
                }
            }
        }
        write(published, table);
        if (!failed.isEmpty()) {
            err().println("tributary: without " + String.join(", ", failed));
            return ExitCodes.FAILED;
        }
        return made.stream().anyMatch(run -> !run.refusals().isEmpty()) ? ExitCodes.BOTTLENECK : ExitCodes.of(made);
    }

    private List<RunResult> runs(PublishedTable table, PublishedRow row, String words, LocalRunners runners)
            throws IOException {
        Measurement measurement = watchOptions.measurement(err());
        PlannedRun planned = table.run(row, isFull);
        int times = repeat != null
                ? repeat
                : Math.max(1, runsOf(table, row, kept(table, words)).size());
        List<RunResult> runs = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            RunResult run = measurement.perform(planned, words, runners);
            runs.add(run);
            run.refusals().forEach(why -> err().println("tributary: " + why));
        }
        return runs;
    }

    private PrintWriter err() {
        return spec.commandLine().getErr();
    }

    private List<PublishedRow> chosen(PublishedTable table) {
        List<PublishedRow> chosen = rows.isEmpty() ? table.rows() : table.rowsNamed(rows);
        if (chosen.isEmpty()) {
            throw new UsageException("no row of " + table.name() + " has " + String.join(" or ", rows)
                    + " in its name; there are: "
                    + String.join(
                            "; ", table.rows().stream().map(PublishedRow::name).toList()));
        }
        return chosen;
    }

    /** In place of the runs of this row that are in the file, in the order of the table. */
    private void keep(PublishedTable table, PublishedRow row, String words, List<RunResult> runs) throws IOException {
        List<RunResult> before = kept(table, words);
        List<RunResult> all = new ArrayList<>();
        for (PublishedRow one : table.rows()) {
            all.addAll(one.equals(row) ? runs : runsOf(table, one, before));
        }
        Files.createDirectories(results());
        ResultFile.of(all).write(file(table, words));
    }

    /** The runs of a table on a target that are there. */
    private List<RunResult> kept(PublishedTable table, String words) throws IOException {
        Path file = file(table, words);
        return Files.exists(file) ? ResultFile.read(file).runs() : List.of();
    }

    private Path file(PublishedTable table, String words) {
        return results().resolve(PublishedPage.fileName(table, words, isFull));
    }

    private static List<RunResult> runsOf(PublishedTable table, PublishedRow row, List<RunResult> all) {
        return all.stream().filter(run -> table.isRunOf(row, run.label())).toList();
    }

    /** The curves of the runs of this command, which what is kept has not got. */
    private void report(PublishedTable table, List<RunResult> made) {
        Path file = REPORTS.resolve(table.name() + ".html");
        try {
            Files.createDirectories(REPORTS);
            Files.writeString(file, HtmlReport.of(table.place() + ": " + table.title(), made));
            err().println("Curves of these runs: " + file);
        } catch (IOException e) {
            err().println("tributary: no curves of these runs: " + file + " cannot be written: " + e.getMessage());
        }
    }

    private Path results() {
        return results != null ? results : Files.isDirectory(KEPT) ? KEPT : REPORTS;
    }

    /** The table to the terminal; and the page, where results are kept with the sources. */
    private void write(Published published, PublishedTable table) throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        out.println(PublishedPage.of(
                new Published(
                        Map.of(
                                table.work(),
                                Objects.requireNonNull(published.works().get(table.work()))),
                        List.of(table),
                        List.of()),
                results()));
        if (results().equals(KEPT) && Files.isWritable(PAGE)) {
            String page = Files.readString(PAGE);
            int begin = page.indexOf(BEGIN);
            int end = page.indexOf(END);
            if (begin >= 0 && end > begin) {
                Files.writeString(
                        PAGE,
                        page.substring(0, begin + BEGIN.length())
                                + PublishedPage.of(published, KEPT)
                                + page.substring(end));
                err().println("Written to " + KEPT + " and " + PAGE);
                return;
            }
        }
        err().println("Written to " + results());
    }

    private void list(Published published) {
        for (PublishedTable table : published.tables()) {
            spec.commandLine()
                    .getOut()
                    .printf(
                            Locale.ROOT,
                            "%-22s %s, %s: %s%n%22s   %s%n",
                            table.name(),
                            published.work(table).title().split(":", 2)[0],
                            table.place(),
                            table.title(),
                            "",
                            table.runsOf() != null
                                    ? "of the runs of " + table.runsOf()
                                    : String.format(
                                            Locale.ROOT,
                                            "%d runs: %s, about %d min; --full: %s, about %d min",
                                            table.rows().size(),
                                            table.fast().size(),
                                            minutes(table, false),
                                            table.full().size(),
                                            minutes(table, true)));
        }
    }

    private static long minutes(PublishedTable table, boolean full) {
        long seconds = 0;
        for (PublishedRow row : table.rows()) {
            PlannedRun run = table.run(row, full);
            seconds += START_SECONDS
                    + run.scenario().steps().stream()
                            .filter(step -> step.messages() == 0)
                            .map(Step::length)
                            .mapToLong(length -> length.toSeconds())
                            .sum();
        }
        return Math.max(1, Math.round(seconds / 60.0));
    }
}
