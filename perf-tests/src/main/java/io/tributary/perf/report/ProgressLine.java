package io.tributary.perf.report;

import io.tributary.perf.result.Sample;
import java.io.PrintWriter;
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
     * @param stepSeconds how long steps take, of those that know
     */
    public ProgressLine(PrintWriter out, boolean terminal, Map<String, Double> stepSeconds) {
        this.out = out;
        this.terminal = terminal;
        this.stepSeconds = Map.copyOf(stepSeconds);
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
                "%-10s %s %6.0f s  in %9s/s  out %9s/s  %s connections  cores: %s",
                step,
                bar(sample.second() - stepBegan),
                sample.second(),
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

    private static String cores(Sample sample) {
        return sample.cores().entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(entry -> String.format(Locale.ROOT, "%s %.2f", entry.getKey(), entry.getValue()))
                .collect(Collectors.joining(", "));
    }
}
