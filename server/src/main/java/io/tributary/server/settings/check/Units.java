package io.tributary.server.settings.check;

import java.time.Duration;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.util.unit.DataSize;
import org.springframework.util.unit.DataUnit;

/** Values as one writes them in a configuration; durations and sizes in the largest unit that gives a whole number. */
public final class Units {
    private static final long MILLIS = 1_000;
    private static final long SIXTY = 60;
    private static final long HOURS_A_DAY = 24;
    private static final long KILO = DataSize.of(1, DataUnit.KILOBYTES).toBytes();

    private Units() {}

    /** A duration of whole milliseconds. */
    public static String text(Duration duration) {
        long millis = duration.toMillis();
        if (millis % MILLIS != 0) {
            return millis + "ms";
        }
        long seconds = millis / MILLIS;
        if (seconds % SIXTY != 0 || seconds == 0) {
            return seconds + "s";
        }
        long minutes = seconds / SIXTY;
        if (minutes % SIXTY != 0) {
            return minutes + "m";
        }
        long hours = minutes / SIXTY;
        return hours % HOURS_A_DAY != 0 ? hours + "h" : hours / HOURS_A_DAY + "d";
    }

    /** A size. */
    public static String text(DataSize size) {
        long bytes = size.toBytes();
        if (bytes % KILO != 0 || bytes == 0) {
            return bytes + "B";
        }
        long kilobytes = bytes / KILO;
        return kilobytes % KILO != 0 ? kilobytes + "KB" : kilobytes / KILO + "MB";
    }

    /** One constant of an enum. */
    public static String text(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** All constants of an enum. */
    public static String choices(Class<?> type) {
        return Stream.of(type.getEnumConstants())
                .map(constant -> text((Enum<?>) constant))
                .collect(Collectors.joining(", "));
    }
}
