package io.tributary.broker.security.store;

import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * When an entry was written: whatever has a larger one is newer. No two changes have the same.
 *
 * @param epoch the writer: the epoch of its ownership of shard 0
 * @param version the number of the change among those of the writer, from 1
 */
public record Stamp(long epoch, long version) implements Comparable<Stamp> {
    private static final Pattern FORM = Pattern.compile("(\\d{1,18})-(\\d{1,18})");
    private static final Comparator<Stamp> ORDER =
            Comparator.comparingLong(Stamp::epoch).thenComparingLong(Stamp::version);

    /** The stamp that is written so, if it is one. */
    public static Optional<Stamp> parse(String text) {
        Matcher form = FORM.matcher(text);
        return form.matches()
                ? Optional.of(new Stamp(Long.parseLong(form.group(1)), Long.parseLong(form.group(2))))
                : Optional.empty();
    }

    @Override
    public int compareTo(Stamp other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return epoch + "-" + version;
    }
}
