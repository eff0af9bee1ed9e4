package io.tributary.server.settings.check;

import java.time.Duration;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.util.unit.DataSize;

/** The values that a setting may have, from {@link Allowed}. */
public record Range(Allowed allowed) {

    /** Whether a value belongs to it. */
    public boolean contains(Object value) {
        return compare(value, allowed.min()) >= 0 && (allowed.max().isEmpty() || compare(value, allowed.max()) <= 0);
    }

    /** The range in words, to follow "must be" or "is not". */
    public String words() {
        return allowed.max().isEmpty()
                ? "at least " + allowed.min()
                : "within " + allowed.min() + " to " + allowed.max();
    }

    private static int compare(Object value, String bound) {
        return switch (value) {
            case Duration duration -> duration.compareTo(DurationStyle.detectAndParse(bound));
            case DataSize size -> size.compareTo(DataSize.parse(bound));
            case Number number -> Long.compare(number.longValue(), Long.parseLong(bound));
            default -> throw new IllegalArgumentException("a " + value.getClass() + " has no range");
        };
    }
}
