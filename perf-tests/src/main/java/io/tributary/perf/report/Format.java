package io.tributary.perf.report;

import io.tributary.perf.result.RunResult.TargetFacts;
import java.util.Arrays;
import java.util.Locale;

/** Numbers for people. */
final class Format {
    private Format() {}

    /** With as many digits as a reader can use: three of them count. */
    static String number(double value) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            return "-";
        }
        double size = Math.abs(value);
        if (size >= 1000) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        if (size >= 100 || size == 0) {
            return String.format(Locale.ROOT, "%.0f", value);
        }
        if (size >= 10) {
            return String.format(Locale.ROOT, "%.1f", value);
        }
        return String.format(Locale.ROOT, size >= 0.1 ? "%.2f" : "%.3f", value);
    }

    static String whole(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    /** What was measured, with its version, which may have the product's name in it, or be a number alone. */
    static String product(TargetFacts target) {
        String version = target.version().toLowerCase(Locale.ROOT);
        boolean isNamed = Arrays.stream(target.name().toLowerCase(Locale.ROOT).split(" ", -1))
                .anyMatch(word -> word.length() > 2 && version.contains(word));
        return isNamed ? target.version() : target.name() + " " + target.version();
    }
}
