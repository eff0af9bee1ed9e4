package io.tributary.perf.report;

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
}
