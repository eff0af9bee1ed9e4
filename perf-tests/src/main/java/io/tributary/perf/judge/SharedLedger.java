package io.tributary.perf.judge;

import io.tributary.perf.judge.MessageStream.Verdict;

/** What all members of a shared subscription got together: each message must come to one of them. Thread-safe. */
public final class SharedLedger {
    private final Ledger ledger = new Ledger();

    synchronized Verdict judge(int source, long sequence) {
        return ledger.judge(source, sequence);
    }

    /** Adds the first copies of each source. */
    public synchronized void addTo(SourceCounts counts) {
        ledger.addTo(counts);
    }
}
