package io.tributary.perf.judge;

/** Judges the messages of one subscriber. Confined to its event loop. */
public sealed interface Receiver permits Ledger, GroupMember {

    /**
     * A message came; answers whether for the first time, as far as anybody knows.
     *
     * @param flagged whether it carries the DUP flag
     */
    boolean onMessage(int source, long sequence, boolean flagged, Tally tally);
}
