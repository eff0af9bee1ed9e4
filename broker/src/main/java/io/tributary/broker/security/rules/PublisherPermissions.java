package io.tributary.broker.security.rules;

import io.tributary.common.mqtt.QoS;
import org.jspecify.annotations.Nullable;

/**
 * What a publisher may publish, with a memory of the last 8 topics that it published to: publishers have few. Rules
 * that are replaced empty the memory. For one thread, or one after the other.
 */
public final class PublisherPermissions {
    private static final int TOPICS = 8;

    /** What is longer is not kept: the memory of all publishers together must not be the clients' choice. */
    private static final int LONGEST = 256;

    private final Permissions permissions;
    private @Nullable RuleBook book;
    private int[] keys = {};
    private @Nullable String[] topics = {};
    private Decision.OfRule[] decisions = {};
    private int next;

    /** A publisher with these permissions. */
    public PublisherPermissions(Permissions permissions) {
        this.permissions = permissions;
    }

    /** As {@link Permissions#mayPublish}. */
    public Decision mayPublish(String topic, QoS qos, boolean retain) {
        BoundRules now = permissions.bound();
        if (book != now.book()) {
            forget(now.book());
        }
        int key = 2 * topic.hashCode() + (retain ? 1 : 0);
        for (int i = 0; i < keys.length; i++) {
            if (keys[i] == key && topic.equals(topics[i])) {
                return decisions[i].at(qos);
            }
        }
        return permissions.isWithoutRules(now)
                ? Permissions.withoutRules(topic)
                : decided(now, topic, retain, key).at(qos);
    }

    private void forget(RuleBook newBook) {
        book = newBook;
        keys = new int[0];
        topics = new String[0];
        decisions = new Decision.OfRule[0];
    }

    private Decision.OfRule decided(BoundRules now, String topic, boolean retain, int key) {
        Decision.OfRule decision = permissions.publishing(now, topic, retain);
        if (topic.length() <= LONGEST) {
            if (keys.length == 0) {
                keys = new int[TOPICS];
                topics = new String[TOPICS];
                decisions = new Decision.OfRule[TOPICS];
            }
            keys[next] = key;
            topics[next] = topic;
            decisions[next] = decision;
            next = (next + 1) % TOPICS;
        }
        return decision;
    }
}
