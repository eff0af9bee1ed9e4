package io.tributary.broker.routing;

import io.tributary.broker.routing.RouterRecorder.Drop;
import io.tributary.broker.subscription.Grant;
import io.tributary.broker.subscription.Matches;
import io.tributary.broker.subscription.Receiver;
import io.tributary.broker.subscription.SharedGroup;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.broker.subscription.Subscriptions;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.Recipient;
import io.tributary.common.mqtt.Message;
import io.tributary.common.thread.RoomQueue;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Delivers to the connections of this node what was matched by another node, or earlier for a log; nothing goes on from
 * here to another node but QoS 0 for persistent sessions that are named. Any thread.
 */
final class PeerDelivery {
    private final Subscriptions subscriptions;
    private final Selection selection;
    private final RouterOutputs outputs;
    private final RouterRecorder recorder;

    PeerDelivery(Subscriptions subscriptions, Selection selection, RouterOutputs outputs, RouterRecorder recorder) {
        this.subscriptions = subscriptions;
        this.selection = selection;
        this.outputs = outputs;
        this.recorder = recorder;
    }

    /**
     * Delivers to the named members, and if it is asked for to every transient session here that matches.
     *
     * @param publisher told what the publisher is to wait for before it publishes more; null when it never waits
     */
    void take(Message message, List<Recipient> members, boolean matching, @Nullable Consumer<RoomQueue> publisher) {
        Copies copies = new Copies(message);
        for (int i = 0; i < members.size(); i++) {
            toMember(message, members.get(i), copies, publisher);
        }
        if (matching) {
            DeliveringVisitor delivering = new DeliveringVisitor(message, outputs, recorder, publisher);
            List<Receiver> receivers = subscriptions.match(message.topic()).receivers();
            selection.selectReceivers(message, receivers, receiver -> !isPersistent(receiver), delivering);
            recorder.delivered(delivering.receivers());
        }
    }

    /** Delivers a message of QoS 0 to sessions that are connected here, and to nobody else. */
    void deliverHere(Message message) {
        Matches matches = subscriptions.match(message.topic());
        LocalReceivers here = new LocalReceivers(message);
        selection.selectReceivers(message, matches.receivers(), _ -> true, here);
        for (SharedGroup group : matches.groups()) {
            Receiver member = group.pickHere(
                    message.publisher(), message.topic(), candidate -> candidate.mayReceive(message.topic()));
            if (member != null) {
                here.visit(member.subscriber(), member.grant(), group.name());
            }
        }
        recorder.delivered(here.receivers);
    }

    private void toMember(Message message, Recipient member, Copies copies, @Nullable Consumer<RoomQueue> publisher) {
        Queued copy = copies.queued(member);
        if (isPersistent(member)) {
            if (!outputs.deliverQos0(member.clientId(), member.session(), copy, publisher)) {
                recorder.dropped(Drop.OFFLINE);
            }
        } else {
            SharedGroup group = subscriptions.areLimited() ? subscriptions.group(String.valueOf(member.group())) : null;
            if (group != null && !group.mayReceive(member.clientId(), member.session(), message.topic())) {
                toAnotherHere(message, group, copies, publisher);
                return;
            }
            outputs.connections().deliverToMember(member.clientId(), member.session(), copy, publisher);
        }
        recorder.delivered(1);
    }

    /** The node that chose a member knew nothing of its client. */
    private void toAnotherHere(
            Message message, SharedGroup group, Copies copies, @Nullable Consumer<RoomQueue> publisher) {
        Receiver other = group.pick(
                message.publisher(),
                message.topic(),
                candidate -> isTransientHere(candidate.subscriber()) && candidate.mayReceive(message.topic()));
        if (other == null) {
            recorder.notAuthorized(Drop.RECEIVE_NOT_AUTHORIZED, null);
            return;
        }
        Queued copy = copies.queued(other.grant(), group.name());
        outputs.connections().deliverTransient(other.subscriber().identity(), copy, publisher);
        recorder.delivered(1);
    }

    private static boolean isTransientHere(Subscriber subscriber) {
        return !subscriber.persistent() && subscriber.node() == null;
    }

    private static boolean isPersistent(Receiver receiver) {
        return receiver.subscriber().persistent();
    }

    /** Whether a member that no log was to have is persistent all the same: it then gets the message with QoS 0. */
    private boolean isPersistent(Recipient member) {
        if (member.group() == null) {
            return true; // transient sessions are not named for subscriptions of their own
        }
        SharedGroup group = member.qos().isAcknowledged() ? null : subscriptions.group(member.group());
        return group != null && group.hasPersistentMember(member.clientId(), member.session());
    }

    /** Delivers to connections of this node. */
    private final class LocalReceivers implements Selection.Visitor {
        private final Copies copies;
        private int receivers;

        private LocalReceivers(Message message) {
            copies = new Copies(message);
        }

        @Override
        public void visit(Subscriber subscriber, Grant grant, @Nullable String group) {
            Queued copy = copies.queued(grant, group);
            if (!subscriber.persistent()) {
                outputs.connections().deliverTransient(subscriber.identity(), copy);
                receivers++;
            } else if (outputs.connections().deliverQos0(subscriber.clientId(), subscriber.identity(), copy)) {
                receivers++;
            }
        }
    }
}
