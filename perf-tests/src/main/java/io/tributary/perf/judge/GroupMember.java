package io.tributary.perf.judge;

import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.tributary.perf.judge.MessageStream.Verdict;

/**
 * The judge of one member of a shared subscription: the group knows whether a message came before, and the member
 * whether it came in order.
 */
public final class GroupMember implements Receiver {
    private final SharedLedger group;
    private final IntObjectMap<Highest> highest = new IntObjectHashMap<>();

    /** A member of the group of this ledger. */
    public GroupMember(SharedLedger group) {
        this.group = group;
    }

    @Override
    public boolean onMessage(int source, long sequence, boolean flagged, Tally tally) {
        Verdict verdict = group.judge(source, sequence);
        if (verdict.isFirst() && !isBehindAll(source, sequence)) {
            tally.count(Count.OUT_OF_ORDER);
        }
        Ledger.count(verdict, flagged, tally);
        return verdict.isFirst();
    }

    private boolean isBehindAll(int source, long sequence) {
        Highest known = highest.get(source);
        if (known == null) {
            known = new Highest();
            highest.put(source, known);
        }
        boolean behind = sequence > known.sequence;
        known.sequence = Math.max(known.sequence, sequence);
        return behind;
    }

    /** The highest sequence number of one source. */
    private static final class Highest {
        private long sequence;
    }
}
