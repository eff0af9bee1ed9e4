package io.tributary.broker.shard;

import io.tributary.broker.delivery.MessageRouting;
import io.tributary.common.event.Destinations;
import io.tributary.common.event.Principal;
import io.tributary.common.event.Recipient;
import io.tributary.common.mqtt.Message;
import io.tributary.common.thread.RoomQueue;
import org.jspecify.annotations.Nullable;

/** Nobody subscribes to anything. */
public class NoRouting implements MessageRouting {
    @Override
    public Destinations match(Message message, @Nullable Principal principal, Runnable stored) {
        stored.run();
        return Destinations.NONE;
    }

    @Override
    public @Nullable RoomQueue congestion() {
        return null;
    }

    @Override
    public Destinations matchAgain(Message message) {
        return Destinations.NONE;
    }

    @Override
    public Destinations matchGroup(Message message, Recipient leaving, boolean mayWait) {
        return Destinations.NONE;
    }

    @Override
    public boolean hasOnlineMember(String group) {
        return false;
    }

    @Override
    public void deliverTransient(Message message, Destinations destinations, Runnable taken) {
        taken.run();
    }
}
