package io.tributary.broker.security.rules;

import org.jspecify.annotations.Nullable;

/**
 * What was decided about the last 8 topics that a client was concerned with: it has few. For one thread, or one after
 * the other.
 */
final class TopicMemory {
    private static final int TOPICS = 8;

    /** What is longer is not kept: the memory of all clients together must not be the clients' choice. */
    private static final int LONGEST = 256;

    private static final int[] NO_KEYS = {};
    private static final String[] NO_TOPICS = {};
    private static final OfRule[] NO_DECISIONS = {};

    private @Nullable RuleBook book;
    private int[] keys = NO_KEYS;
    private @Nullable String[] topics = NO_TOPICS;
    private OfRule[] decisions = NO_DECISIONS;
    private int next;

    /**
     * What was decided about a topic by these rules; null when that is not known.
     *
     * @param flag decisions are kept apart by it
     */
    @Nullable
    OfRule find(RuleBook now, String topic, boolean flag) {
        if (book != now) { // what other rules have decided is forgotten
            book = now;
            keys = NO_KEYS;
            topics = NO_TOPICS;
            decisions = NO_DECISIONS;
            next = 0;
            return null;
        }
        int key = key(topic, flag);
        for (int i = 0; i < keys.length; i++) {
            if (keys[i] == key && topic.equals(topics[i])) {
                return decisions[i];
            }
        }
        return null;
    }

    /** Keeps what the rules that {@link #find} was told of have decided; in the place of the oldest. */
    OfRule keep(String topic, boolean flag, OfRule decision) {
        if (topic.length() > LONGEST) {
            return decision;
        }
        if (keys.length == 0) {
            keys = new int[TOPICS];
            topics = new String[TOPICS];
            decisions = new OfRule[TOPICS];
        }
        keys[next] = key(topic, flag);
        topics[next] = topic;
        decisions[next] = decision;
        next = (next + 1) % TOPICS;
        return decision;
    }

    private static int key(String topic, boolean flag) {
        return 2 * topic.hashCode() + (flag ? 1 : 0);
    }
}
