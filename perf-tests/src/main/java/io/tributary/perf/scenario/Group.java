package io.tributary.perf.scenario;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Clients that are all alike.
 *
 * @param count how many
 * @param scaled whether the count follows the scale
 * @param persistent whether their sessions outlive their connections
 * @param reply whether they answer messages that have a response topic
 * @param publish what they publish; null for nothing
 * @param aside whether they stand by while others are measured: the times of what they get, and of what they publish,
 *     are a distribution of their own
 * @param silence whether it is measured how long each of them gets nothing
 * @param jitter whether it is measured how much times differ from one message to the next
 * @param brokers those that the clients take in turn, counted from 1; empty for all
 * @param churn how they come and go; null for clients that stay
 */
public record Group(
        String name,
        int count,
        boolean scaled,
        boolean persistent,
        List<SubscribeOptions> subscribe,
        boolean reply,
        boolean aside,
        boolean silence,
        boolean jitter,
        List<Integer> brokers,
        @Nullable PublishOptions publish,
        @Nullable Churn churn) {

    /** Checks what the others do not. */
    public Group {
        subscribe = List.copyOf(subscribe);
        brokers = List.copyOf(brokers);
        if (count < 1) {
            throw new ScenarioException("group " + name + ": count must be 1 or more, not " + count);
        }
        if (brokers.stream().anyMatch(broker -> broker < 1)) {
            throw new ScenarioException("group " + name + ": brokers are counted from 1, not " + brokers);
        }
        if (!name.matches("[a-z0-9-]+")) {
            throw new ScenarioException(
                    "group '" + name + "': a name has a-z, 0-9 and - in it, for it is in client ids");
        }
    }

    /** Whether they get messages. */
    public boolean subscribes() {
        return !subscribe.isEmpty();
    }

    /** The same with as many clients as a scale leaves of them, one at least. */
    Group scaledBy(double scale) {
        int size = scaled ? (int) Math.max(1, Math.round(count * scale)) : count;
        return new Group(
                name, size, scaled, persistent, subscribe, reply, aside, silence, jitter, brokers, publish, churn);
    }
}
