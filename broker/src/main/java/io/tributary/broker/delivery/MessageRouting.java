package io.tributary.broker.delivery;

import io.tributary.common.event.Destinations;
import io.tributary.common.event.Principal;
import io.tributary.common.event.Recipient;
import io.tributary.common.mqtt.Message;
import io.tributary.common.thread.RoomQueue;
import org.jspecify.annotations.Nullable;

/**
 * The router as shards see it, for messages that no connection publishes: a will, a QoS 2 message that was logged, or
 * what a member of a shared subscription left. Any thread; never blocks.
 */
public interface MessageRouting {

    /**
     * All destinations of a will, after authorisation of its publisher; {@link Destinations#NONE} when refused. A
     * message with RETAIN is given to the retained messages first.
     *
     * @param principal who the publisher was; null where that is not known
     * @param stored run once, when a message with RETAIN is stored or cannot be; at once for any other
     */
    Destinations match(Message message, @Nullable Principal principal, Runnable stored);

    /**
     * What waits while too much waits for retained messages to be stored, so that {@link #match} is to be asked later;
     * null while that is not so.
     */
    @Nullable
    RoomQueue congestion();

    /**
     * All destinations of a message that was authorised and retained before, but had too many to be named: as they are
     * now.
     */
    Destinations matchAgain(Message message);

    /**
     * Another member of the shared subscription that chose the given one.
     *
     * @param leaving the member that leaves, which is not chosen again
     * @param mayWait whether it may be a member that is offline, where none is online
     * @return one destination, or {@link Destinations#NONE} when there is no other member that may have the message
     */
    Destinations matchGroup(Message message, Recipient leaving, boolean mayWait);

    /**
     * Whether a shared subscription has a member that is online.
     *
     * @param group the shared subscription as clients write it, {@code $share/name/filter}
     */
    boolean hasOnlineMember(String group);

    /**
     * Hands a message to those of its destinations that no log serves: this node's share to its connections, the
     * others' to their nodes.
     *
     * @param taken run once, when the other nodes have taken it, or are given up
     */
    void deliverTransient(Message message, Destinations destinations, Runnable taken);
}
