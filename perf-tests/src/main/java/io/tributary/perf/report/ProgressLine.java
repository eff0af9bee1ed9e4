package io.tributary.perf.report;

import io.tributary.perf.result.Sample;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * What goes on, once a second: on a terminal a line that changes, with a bar; else a line now and then. For one thread.
 */
public final class ProgressLine implements Consumer<Sample> {
    private static final int BAR = 20;
    private static final int QUIET_SECONDS = 10;

    private final PrintWriter out;
    private final boolean terminal;
    private final Map<String, Double> stepSeconds;
    private String step = "";
    private double stepBegan;
    private double saidAt = -QUIET_SECONDS;

    /**
     * A line.
     *
     * @param terminal whether lines can be written over
     * @param stepSeconds how long steps take, in their order; 0 for those that do not know
     */
    public ProgressLine(PrintWriter out, boolean terminal, Map<String, Double> stepSeconds) {
        this.out = out;
        this.terminal = terminal;
        this.stepSeconds = new LinkedHashMap<>(stepSeconds);
    }

    @Override
    public void accept(Sample sample) {
        if (sample.step().isEmpty()) { // it has not begun
            return;
        }
        boolean fresh = !sample.step().equals(step);
        if (fresh) {
            step = sample.step();
            stepBegan = sample.second();
        }
        if (!terminal && !fresh && sample.second() - saidAt < QUIET_SECONDS) {
            return;
        }
        saidAt = sample.second();
        String line = String.format(
                Locale.ROOT,
                "%-10s %s %6.0f s%s  in %9s/s  out %9s/s  %s connections  cores: %s",
                step,
                bar(sample.second() - stepBegan),
                sample.second(),
                left(sample.second() - stepBegan),
                Format.number(sample.sent()),
                Format.number(sample.received()),
                Format.whole(sample.connected()),
                cores(sample));
        out.print(terminal ? "\r\u001b[K" + line : line + System.lineSeparator());
        out.flush();
    }

    /** Leaves the line. */
    public void finish() {
        if (terminal) {
            out.println();
        }
    }

    private String bar(double seconds) {
        Double length = stepSeconds.get(step);
        if (!terminal || length == null || length <= 0) {
            return "";
        }
        int full = Math.clamp(Math.round(BAR * seconds / length), 0, BAR);
        return "[" + "#".repeat(full) + ".".repeat(BAR - full) + "]";
    }

    /** How long the rest of this step and the later ones take, without those that do not know. */
    private String left(double seconds) {
        double left = 0;
        boolean isLater = false;
        for (Map.Entry<String, Double> one : stepSeconds.entrySet()) {
            if (isLater) {
                left += one.getValue();
            } else if (one.getKey().equals(step)) {
                isLater = true;
                left = Math.max(0, one.getValue() - seconds);
            }
        }
        long whole = Math.round(left);
        return whole == 0 ? "" : String.format(Locale.ROOT, ", %s left", clock(whole));
    }

    private static String clock(long seconds) {
        return seconds < 3_600
                ? String.format(Locale.ROOT, "%d:%02d", seconds / 60, seconds % 60)
                : String.format(Locale.ROOT, "%d:%02d:%02d", seconds / 3_600, seconds / 60 % 60, seconds % 60);
    }

    private static String cores(Sample sample) {
        return sample.cores().entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(entry -> String.format(Locale.ROOT, "%s %.2f", entry.getKey(), entry.getValue()))
                .collect(Collectors.joining(", "));
    }
}
