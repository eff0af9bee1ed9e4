package io.tributary.perf.judge;

import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.tributary.perf.judge.MessageStream.Verdict;

/** The judge of a subscriber that gets every message: what came of each source. */
public final class Ledger implements Receiver {
    private final IntObjectMap<MessageStream> streams = new IntObjectHashMap<>();

    @Override
    public boolean onMessage(int source, long sequence, boolean flagged, Tally tally) {
        Verdict verdict = judge(source, sequence);
        if (verdict == Verdict.OUT_OF_ORDER) {
            tally.count(Count.OUT_OF_ORDER);
        }
        count(verdict, flagged, tally);
        return verdict.isFirst();
    }

    /** Adds the first copies of each source. */
    public void addTo(SourceCounts counts) {
        streams.forEach((source, stream) -> counts.arrived(source, stream.first()));
    }

    Verdict judge(int source, long sequence) {
        MessageStream stream = streams.get(source);
        if (stream == null) {
            stream = new MessageStream();
            streams.put(source, stream);
        }
        return stream.onMessage(sequence);
    }

    static void count(Verdict verdict, boolean flagged, Tally tally) {
        switch (verdict) {
            case IN_ORDER, OUT_OF_ORDER -> tally.count(Count.FIRST);
            case DUPLICATE -> {
                tally.count(Count.DUPLICATE);
                if (flagged) {
                    tally.count(Count.DUPLICATE_FLAGGED);
                }
            }
            case UNDECIDED -> tally.count(Count.UNDECIDED);
        }
    }
}
