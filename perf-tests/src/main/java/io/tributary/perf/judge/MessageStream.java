package io.tributary.perf.judge;

import org.jspecify.annotations.Nullable;

/**
 * The messages of one source on their way to one receiver: tells first copies from repetitions exactly, in bounded
 * memory. Two numbers while all is in order. Not thread-safe.
 */
final class MessageStream {
    private long highest;
    private long first;
    private @Nullable Gaps gaps;

    /** Judges a message by its sequence number. */
    Verdict onMessage(long sequence) {
        if (sequence > highest) {
            if (sequence > highest + 1) {
                missing().add(highest + 1, sequence - 1);
            }
            highest = sequence;
            first++;
            return Verdict.IN_ORDER;
        }
        if (gaps == null) {
            return Verdict.DUPLICATE;
        }
        if (gaps.remove(sequence)) {
            first++;
            return Verdict.OUT_OF_ORDER;
        }
        return gaps.isForgotten(sequence) ? Verdict.UNDECIDED : Verdict.DUPLICATE;
    }

    /** How many first copies came. */
    long first() {
        return first;
    }

    private Gaps missing() {
        Gaps known = gaps;
        if (known == null) {
            known = new Gaps();
            gaps = known;
        }
        return known;
    }

    /** What a message is. */
    enum Verdict {
        /** The first copy, behind all that came. */
        IN_ORDER,
        /** The first copy, but a later message came before it. */
        OUT_OF_ORDER,
        /** Not the first copy. */
        DUPLICATE,
        /** One of these two, but too many are missing to know. */
        UNDECIDED;

        /** Whether it is known to be the first copy. */
        boolean isFirst() {
            return this == IN_ORDER || this == OUT_OF_ORDER;
        }
    }
}
