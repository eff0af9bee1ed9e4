package io.tributary.perf.run;

import io.tributary.perf.judge.Count;
import io.tributary.perf.judge.Counts;
import io.tributary.perf.result.Deliveries;
import io.tributary.perf.result.StepResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What happened in a run that does not happen when all is well, whether or not a message was lost by it. */
final class Incidents {
    /** The share of messages that may come after the measured steps. */
    private static final double TOLERATED = 0.01;

    private Incidents() {}

    /** A sentence for each kind of what was counted over the whole run. */
    static List<String> remarks(Counts total) {
        List<String> remarks = new ArrayList<>();
        add(
                remarks,
                total.get(Count.REFUSED),
                "The broker refused %,d messages with a reason code: nothing is expected of them.");
        add(remarks, total.get(Count.CONNECTION_LOST), "Connections that the broker, or the network, ended: %,d.");
        add(remarks, total.get(Count.CONNECT_FAILED), "Attempts to connect that failed: %,d.");
        add(remarks, total.get(Count.RESENT), "Messages that were sent again after a reconnect: %,d.");
        add(
                remarks,
                total.get(Count.ABANDONED),
                "Messages that were on their way when their publisher's session ended, and were not sent again: %,d. Those that"
                        + " the broker did not get count as lost.");
        add(remarks, total.get(Count.UNDECIDED), "Messages of which nobody knows whether they came before: %,d.");
        add(
                remarks,
                total.get(Count.EARLY),
                "Messages that came before they were due, as the clocks of two processes say: %,d. Their latency counts as 0.");
        add(remarks, total.get(Count.FOREIGN), "Messages that came and are none of this run: %,d.");
        add(
                remarks,
                total.unacknowledged(),
                "Messages that were never acknowledged: %,d; whether they came is counted all the same.");
        return remarks;
    }

    /**
     * Of messages that came when their latency was not measured any more; nothing where they are few.
     *
     * @param lost of those that were published in measured steps
     */
    static List<String> late(StepResult measured, long lost) {
        Deliveries deliveries = measured.deliveries();
        long expected = deliveries.expected();
        long late = expected - deliveries.first() - lost;
        return late <= TOLERATED * expected
                ? List.of()
                : List.of(String.format(
                        Locale.ROOT,
                        "%,d of %,d messages of the measured steps came after these: how long they took is in no distribution.",
                        late,
                        expected));
    }

    private static void add(List<String> remarks, long count, String words) {
        if (count > 0) {
            remarks.add(String.format(Locale.ROOT, words, count));
        }
    }
}
