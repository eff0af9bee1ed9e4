package io.tributary.perf.report;

import io.tributary.perf.result.RunResult;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Results as Markdown. */
public final class MarkdownReport {
    private MarkdownReport() {}

    /** One run or several, side by side first and then each. */
    public static String of(List<RunResult> runs) {
        StringBuilder text = new StringBuilder();
        text.append(Headline.of(runs).markdown()).append('\n');
        String warning = warning(runs);
        if (!warning.isEmpty()) {
            text.append("**").append(warning).append("**\n\n");
        }
        runs.forEach(run -> text.append(details(run)));
        return text.toString();
    }

    /** What keeps the runs from being compared, in a sentence; empty for nothing. */
    public static String warning(List<RunResult> runs) {
        List<String> scenarios = Headline.scenarios(runs);
        return scenarios.size() < 2
                ? ""
                : "These are runs of different scenarios (" + String.join(", ", scenarios)
                        + "): they do different things, and their figures cannot be compared.";
    }

    private static String details(RunResult run) {
        StringBuilder text = new StringBuilder();
        text.append("## ").append(RunNames.full(run)).append("\n\n");
        for (String refusal : run.refusals()) {
            text.append("**NOT VALID:** ").append(refusal).append("\n\n");
        }
        for (String remark : run.remarks()) {
            text.append(remark).append("\n\n");
        }
        if (run.lost() > 0) {
            text.append(lost(run));
            run.sourcesWithLoss()
                    .forEach(source -> text.append("- ").append(source).append('\n'));
            text.append('\n');
        }
        text.append(Table.distributions(run).markdown()).append('\n');
        text.append(Table.processes(run).markdown()).append('\n');
        text.append(Table.steps(run).markdown()).append('\n');
        if (!run.growth().isEmpty()) {
            text.append(Table.growth(run).markdown()).append('\n');
        }
        text.append(setting(run)).append('\n');
        return text.toString();
    }

    private static String lost(RunResult run) {
        Long measured = run.lostOfMeasured();
        String parts = measured == null
                ? ""
                : String.format(
                        Locale.ROOT,
                        ": %,d that were published in the measured steps, and %,d in others, such as a warm-up",
                        measured,
                        run.lost() - measured);
        String dropped = run.dropped() == null
                ? ""
                : String.format(Locale.ROOT, " (the broker says that it has dropped %,d)", run.dropped());
        return String.format(
                Locale.ROOT,
                "%,d messages lost in the whole run%s%s. Of %,d publishers' topics:%n",
                run.lost(),
                parts,
                dropped,
                run.sourcesLosing());
    }

    static String setting(RunResult run) {
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT,
                "%s, %s (%s), commit %s; %s, %d cores, %,d MB, %s; Java of the tool: %s; %d process%s of the tool%s.%n%n",
                run.started(),
                run.target().name(),
                run.target().version(),
                run.commit(),
                run.machine().processor(),
                run.machine().cores(),
                run.machine().memoryMegabytes(),
                run.machine().system(),
                run.machine().java(),
                run.runners(),
                run.runners() == 1 ? "" : "es",
                run.clockErrorMillis() == 0
                        ? ""
                        : String.format(
                                Locale.ROOT, ", whose clocks are at most %.2f ms apart", run.clockErrorMillis())));
        run.target()
                .facts()
                .forEach((name, value) -> text.append("- ")
                        .append(name)
                        .append(": ")
                        .append(value)
                        .append('\n'));
        Object source = run.scenario().getOrDefault("source", "");
        if (!String.valueOf(source).isEmpty()) {
            text.append("- source: ").append(source).append('\n');
            list(text, "same: ", run.scenario().get("same"));
            list(text, "differs: ", run.scenario().get("differs"));
        }
        text.append("- parameters: ")
                .append(run.scenario().get("parameters"))
                .append(", scale ")
                .append(run.scenario().get("scale"))
                .append('\n');
        return text.toString();
    }

    private static void list(StringBuilder text, String head, @Nullable Object values) {
        if (values instanceof List<?> list) {
            list.forEach(value -> text.append("- ").append(head).append(value).append('\n'));
        }
    }
}
