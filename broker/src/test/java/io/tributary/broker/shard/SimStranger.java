package io.tributary.broker.shard;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.delivery.Delivery;
import io.tributary.broker.delivery.Endpoint;
import io.tributary.common.event.AttachRefusal;
import io.tributary.common.event.Principal;
import io.tributary.common.event.ShardEvent;
import java.util.List;

/**
 * A connection of another principal, with the client identifier of somebody who has a session, or had one. It gets
 * nothing of it; where there is no session it gets a new one, and leaves at once. A second one may find the first
 * one's.
 */
final class SimStranger implements Endpoint {
    private static final Principal WHO = Principal.ofUser("stranger");

    private final SimFront front;
    private final SimClient client;
    private final long number;
    private long offset = Long.MAX_VALUE;

    SimStranger(SimFront front, SimClient client, long number) {
        this.front = front;
        this.client = client;
        this.number = number;
    }

    /** Whether an event is a stranger's. */
    static boolean is(ShardEvent.Attach attach) {
        return WHO.equals(attach.principal());
    }

    ShardEvent.Attach attach(boolean cleanStart, long expirySeconds) {
        return new ShardEvent.Attach(
                client.name, front.name(), number, cleanStart, expirySeconds, 5, client.kind, null, WHO, false);
    }

    /** The log has the Attach. */
    void appended(long newOffset) {
        offset = newOffset;
    }

    @Override
    public String clientId() {
        return client.name;
    }

    @Override
    public boolean isAttachedUpTo(long upTo) {
        return offset <= upTo;
    }

    @Override
    public void attached(Attached answer) {
        boolean isSomebodyElses = answer.sessionPresent() && !front.isBegunByStranger(client, answer.session());
        if (isSomebodyElses || client.isLoyal || client.isConnected()) {
            throw new Violation("a stranger has the session of " + client.name + ": " + answer);
        }
        front.detach(new ShardEvent.Detach(client.name, answer.epoch(), false, 0, 0));
        leave();
    }

    @Override
    public void refused(AttachRefusal reason) {
        if (reason != AttachRefusal.IS_SOMEBODY_ELSES) {
            throw new Violation("a stranger is refused for the session of " + client.name + " " + reason);
        }
        leave();
    }

    /** It has no session, and was not told. */
    @Override
    public void takenOver() {
        leave();
    }

    @Override
    public void deliver(List<Delivery> deliveries) {
        throw new Violation("a stranger gets messages of " + client.name);
    }

    private void leave() {
        front.registry().remove(number, this);
    }
}
