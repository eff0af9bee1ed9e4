package io.tributary.broker.connection;

import java.util.BitSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The topic aliases that are used towards a client. Topics get one at first sight while there are free ones; later a
 * topic takes the alias that was not used for longest, but only when it was the last one to miss, too, so that a stream
 * of ever new topics costs nothing. Confined to the event loop.
 */
final class OutboundTopicAliases {
    /** Below this length an alias, which takes three bytes, saves nothing. */
    private static final int MIN_TOPIC_LENGTH = 4;
    /** Above it, a topic would take too much memory for as long as the client is connected. */
    private static final int MAX_TOPIC_LENGTH = 2048;

    /**
     * How a topic is written.
     *
     * @param alias the alias, or 0 for none
     * @param sendTopic whether the topic is written out
     */
    record Use(int alias, boolean sendTopic) {
        /** By its name. */
        static final Use NONE = new Use(0, true);

        /** Whether the packet tells the client a new alias. */
        boolean isNew() {
            return alias != 0 && sendTopic;
        }
    }

    private final int maximum; // [MQTT-3.1.2-26, MQTT-3.1.2-27]
    private final Map<String, Use> uses = new LinkedHashMap<>(0, 0.75f, true);
    private final BitSet taken = new BitSet();
    private @Nullable String candidate;

    OutboundTopicAliases(int maximum) {
        this.maximum = maximum;
    }

    /** How the topic is to be written in the packet that is sent next. */
    Use use(String topic) {
        if (maximum == 0 || topic.length() < MIN_TOPIC_LENGTH || topic.length() > MAX_TOPIC_LENGTH) {
            return Use.NONE;
        }
        Use known = uses.get(topic);
        return known != null ? known : assign(topic);
    }

    /** Takes back what {@link #use} assigned, for the packet was not sent. */
    void revoke(String topic) {
        Use use = uses.remove(topic);
        if (use != null) {
            taken.clear(use.alias());
        }
    }

    private Use assign(String topic) {
        if (uses.size() == maximum) {
            if (!topic.equals(candidate)) {
                candidate = topic;
                return Use.NONE;
            }
            dropEldest();
        }
        int alias = taken.nextClearBit(1); // never 0 [MQTT-3.3.2-8], never above the maximum [MQTT-3.3.2-11]
        taken.set(alias);
        uses.put(topic, new Use(alias, false));
        return new Use(alias, true);
    }

    private void dropEldest() {
        Iterator<Use> eldest = uses.values().iterator();
        taken.clear(eldest.next().alias());
        eldest.remove();
    }
}
