package io.tributary.broker.metrics;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Counts messages that went nowhere because of rules, by the name of the rule set that says so. Any thread; only what
 * is refused costs anything.
 */
final class RuleSetCounters {
    /** The value of the tag where no rule set says no. */
    static final String NONE = "none";

    private static final String OTHER = "other";
    private static final int MOST_NAMES = 100;

    private final Meters meters;
    private final String place;
    private final String reason;
    private final Set<String> names;
    private final LongAdder none;
    private final Map<String, LongAdder> counters = new ConcurrentHashMap<>();

    /**
     * Creates them.
     *
     * @param names the names that are shown so far, of all places; a name that is one too many counts as {@code other}
     * @param none the counter of what no rule set says
     */
    RuleSetCounters(Meters meters, String place, Enum<?> reason, Set<String> names, LongAdder none) {
        this.meters = meters;
        this.place = place;
        this.reason = Meters.tagValue(reason);
        this.names = names;
        this.none = none;
        counters.put(NONE, none);
    }

    /** A set of names that all places share. */
    static Set<String> names() {
        return ConcurrentHashMap.newKeySet();
    }

    void increment(@Nullable String ruleSet) {
        LongAdder known = ruleSet == null ? none : counters.get(ruleSet);
        (known == null ? counter(shown(String.valueOf(ruleSet))) : known).increment();
    }

    private LongAdder counter(String value) {
        return counters.computeIfAbsent(
                value, _ -> meters.counter(BrokerMeters.MESSAGES_DROPPED, place, value, reason));
    }

    /** Two threads with new names at once may show one more. */
    private String shown(String name) {
        if (names.contains(name) || (names.size() < MOST_NAMES && names.add(name))) {
            return name;
        }
        return OTHER;
    }

    /** How many of them, without those that no rule set says no to. */
    long sum() {
        return Meters.sum(counters.values()) - none.sum();
    }
}
