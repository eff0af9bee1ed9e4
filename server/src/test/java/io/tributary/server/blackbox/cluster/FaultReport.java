package io.tributary.server.blackbox.cluster;

import io.tributary.server.blackbox.load.Judge.Counts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How long a cluster took to work again after each fault; lines for each of them, and a table. */
final class FaultReport {
    private static final String DASH = "-";

    private final Map<String, Times> times = new LinkedHashMap<>();
    private final StringBuilder lines = new StringBuilder();

    private static final class Times {
        private final List<Duration> others = new ArrayList<>();
        private final List<Duration> whole = new ArrayList<>();
    }

    /**
     * Adds a fault.
     *
     * @param others from the harm until the rest worked, where the fault left a rest that works, or null
     * @param whole from the harm until all worked
     */
    void add(String fault, String what, @Nullable Duration others, Duration whole, Counts counts) {
        Times ofFault = times.computeIfAbsent(fault, _ -> new Times());
        if (others != null) {
            ofFault.others.add(others);
        }
        ofFault.whole.add(whole);
        String line =
                "%3d %s (%s): others after %s s, all after %s s; %d acknowledged, %d received, %d resent, %d duplicates, "
                                .formatted(
                                        times.values().stream()
                                                .mapToInt(t -> t.whole.size())
                                                .sum(),
                                        fault,
                                        what,
                                        others == null ? DASH : seconds(others),
                                        seconds(whole),
                                        counts.acknowledged(),
                                        counts.received(),
                                        counts.resent(),
                                        counts.duplicates())
                        + "%d of them without DUP, %d connections given up"
                                .formatted(counts.unmarked(), counts.stalled());
        lines.append(line).append('\n');
    }

    /** The lines, then the table. */
    String text() {
        StringBuilder text = new StringBuilder(lines);
        text.append(
                "\n| fault | count | the others work again after, s: min / median / max | all work again after |\n");
        text.append("| --- | --- | --- | --- |\n");
        times.forEach((fault, ofFault) -> text.append("| %s | %d | %s | %s |%n"
                .formatted(fault, ofFault.whole.size(), spread(ofFault.others), spread(ofFault.whole))));
        return text.toString();
    }

    private static String spread(List<Duration> durations) {
        if (durations.isEmpty()) {
            return DASH;
        }
        List<Duration> sorted = new ArrayList<>(durations);
        Collections.sort(sorted);
        return seconds(sorted.getFirst()) + " / " + seconds(sorted.get(sorted.size() / 2)) + " / "
                + seconds(sorted.getLast());
    }

    private static String seconds(Duration duration) {
        return "%.1f".formatted(duration.toMillis() / 1000.0);
    }
}
