package io.tributary.perf.report;

import io.tributary.perf.paper.Figure;
import io.tributary.perf.paper.PublishedTable;
import io.tributary.perf.result.RunResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/** What keeps the figures of runs from saying about a broker what they seem to say. */
final class Doubts {
    /** Above this share of the machine, what others took leaves no figure. */
    private static final double SPOILS = 0.10;

    /** From this share on a reader is to know. */
    private static final double WORTH_SAYING = 0.05;

    /** Linux counts processor time in steps of 10 ms: of less than this nobody can say what others took. */
    private static final double SHORTEST_SECONDS = 0.5;

    /** From here on an event loop of the load tool has no room for what comes at once. */
    private static final double LOOP_BUSY = 0.85;

    /** Below this, what was measured is no limit of the machine. */
    private static final double MACHINE_BUSY = 0.70;

    private static final Set<Figure> THROUGHPUT = Set.of(Figure.IN_AND_OUT, Figure.GIGABYTES);

    private Doubts() {}

    /** Whether a run has no figures: the load tool was the bottleneck, or others were in the way. */
    static boolean hasNoFigures(RunResult run) {
        return !run.refusals().isEmpty() || isDisturbed(run);
    }

    /** Whether a figure of a run is as much as the load tool can do, so that the broker's may be higher. */
    static boolean isLeast(RunResult run, Figure figure) {
        return THROUGHPUT.contains(figure) && run.measured().busiestLoop() >= LOOP_BUSY;
    }

    private static boolean isDisturbed(RunResult run) {
        return run.measured().othersBusy() > SPOILS && knowsOthers(run);
    }

    /** Whether what others took is known: that of a broker whose processes are not known is among theirs. */
    private static boolean knowsOthers(RunResult run) {
        return run.measured().seconds() >= SHORTEST_SECONDS
                && run.measured().processes().stream().anyMatch(process -> !process.isOfTool() && !process.elsewhere());
    }

    /** What a reader of a table is to know of its runs. */
    static List<String> lines(PublishedTable table, List<RunResult> all) {
        List<RunResult> runs = all.stream()
                .filter(run -> table.rows().stream().anyMatch(row -> table.isRunOf(row, run.label())))
                .toList();
        List<String> lines = new ArrayList<>();
        add(
                lines,
                "**The load tool was the bottleneck**, so that there are no figures of these: ",
                runs,
                run -> !run.refusals().isEmpty(),
                Doubts::name);
        add(
                lines,
                "**Other programs took more than a tenth of the machine**, so that there are no figures of these: ",
                runs,
                run -> run.refusals().isEmpty() && isDisturbed(run),
                Doubts::withOthers);
        add(
                lines,
                "Other programs took more than 5 % of the machine: ",
                runs,
                run -> !hasNoFigures(run) && run.measured().othersBusy() > WORTH_SAYING && knowsOthers(run),
                Doubts::withOthers);
        long unknown = runs.stream().filter(run -> !knowsOthers(run)).count();
        if (unknown > 0) {
            lines.add(String.format(
                    Locale.ROOT,
                    "of %d of %d runs it is not known what other programs took, for they were shorter than half a second, in which the"
                            + " system's steps of 10 ms say too little, or nobody said which processes are the broker's",
                    unknown,
                    runs.size()));
        }
        if (table.figures().stream().anyMatch(THROUGHPUT::contains)) {
            lines.addAll(ofThroughput(runs));
        }
        return lines;
    }

    private static List<String> ofThroughput(List<RunResult> runs) {
        List<String> lines = new ArrayList<>();
        if (runs.stream().anyMatch(run -> !hasNoFigures(run) && isLeast(run, Figure.IN_AND_OUT))) {
            lines.add(
                    "*at least*: an event loop of the load tool was busy for 85 % of the time or more, so that the figure is the"
                            + " tool's limit, and the broker's may be higher");
        }
        add(
                lines,
                "Less than 70 % of the machine was busy, so that the figure is what the window and its round trip allow, and no limit"
                        + " of the broker: ",
                runs,
                run -> !hasNoFigures(run) && run.measured().machineBusy() < MACHINE_BUSY,
                run -> withPercent(run, run.measured().machineBusy()));
        return lines;
    }

    private static void add(
            List<String> lines,
            String words,
            List<RunResult> runs,
            Predicate<RunResult> which,
            Function<RunResult, String> name) {
        List<String> names = runs.stream().filter(which).map(name).distinct().toList();
        if (!names.isEmpty()) {
            lines.add(words + String.join("; ", names));
        }
    }

    private static String withOthers(RunResult run) {
        return withPercent(run, run.measured().othersBusy());
    }

    private static String withPercent(RunResult run, double share) {
        return name(run) + String.format(Locale.ROOT, " (%.0f %%)", 100 * share);
    }

    private static String name(RunResult run) {
        String form = run.label().contains("form=full ") ? ", in full" : "";
        return run.label().replaceAll("^.* row=", "") + " on " + run.target().name() + form;
    }
}
