package io.tributary.broker.routing;

import io.tributary.broker.routing.RouterRecorder.Drop;
import io.tributary.broker.security.Decision;
import io.tributary.broker.subscription.Grant;
import io.tributary.broker.subscription.Matches;
import io.tributary.broker.subscription.Receiver;
import io.tributary.broker.subscription.SharedGroup;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.common.mqtt.Message;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Decides which of the matching sessions get a copy of a message. A session gets one of its own and one of each group
 * [MQTT-4.8.2-4].
 */
final class Selection {
    private final RouterRecorder recorder;

    Selection(RouterRecorder recorder) {
        this.recorder = recorder;
    }

    /** Shows every copy to the visitor. */
    void select(Message message, Matches matches, Visitor visitor) {
        selectReceivers(message, matches.receivers(), _ -> true, visitor);
        if (!matches.groups().isEmpty()) {
            selectMembers(message, matches.groups(), visitor);
        }
    }

    /**
     * Shows the copies of sessions to the visitor, without those of shared subscriptions.
     *
     * @param wanted which sessions are asked about at all
     */
    void selectReceivers(Message message, List<Receiver> receivers, Predicate<Receiver> wanted, Visitor visitor) {
        for (int i = 0; i < receivers.size(); i++) {
            Receiver receiver = receivers.get(i);
            Grant grant = wanted.test(receiver) ? receiver.grantFor(message.publisher()) : null;
            if (grant == null) {
                continue;
            }
            Decision right = receiver.receiving(message.topic());
            if (right.allowed()) {
                visitor.visit(receiver.subscriber(), grant, null);
            } else {
                recorder.notAuthorized(Drop.RECEIVE_NOT_AUTHORIZED, right.ruleSet());
            }
        }
    }

    private void selectMembers(Message message, List<SharedGroup> groups, Visitor visitor) {
        for (SharedGroup group : groups) {
            Receiver member = group.pick(
                    message.publisher(), message.topic(), candidate -> candidate.mayReceive(message.topic()));
            if (member != null) {
                visitor.visit(member.subscriber(), member.grant(), group.name());
            } else {
                recorder.notAuthorized(Drop.RECEIVE_NOT_AUTHORIZED, null); // several members, perhaps of several sets
            }
        }
    }

    /** Sees the copies of a message, one by one. */
    @FunctionalInterface
    interface Visitor {
        /**
         * One copy.
         *
         * @param group the shared subscription that chose the session, or null
         */
        void visit(Subscriber subscriber, Grant grant, @Nullable String group);
    }
}
