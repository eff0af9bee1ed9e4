package io.tributary.perf.judge;

/** Judges the messages of one subscriber. Confined to its event loop. */
public sealed interface Receiver permits Ledger, GroupMember {

    /**
     * A message came.
     *
     * @param flagged whether it carries the DUP flag
     */
    void onMessage(int source, long sequence, boolean flagged, Tally tally);
}
