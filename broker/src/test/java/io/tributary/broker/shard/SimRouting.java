package io.tributary.broker.shard;

import io.tributary.broker.delivery.MessageRouting;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Destinations;
import io.tributary.common.event.Principal;
import io.tributary.common.event.Recipient;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.thread.RoomQueue;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions of a simulation, known everywhere at once: filters are topics, and a shared one chooses a member.
 */
class SimRouting implements MessageRouting {
    private final SimClock clock;
    private final List<Subscription> subscriptions = new ArrayList<>();
    private final Map<String, Set<SimConnection>> online = new HashMap<>();

    /** One subscription of a session; the group is null unless it is shared. */
    record Subscription(
            String clientId,
            long session,
            String topic,
            QoS qos,
            @Nullable String group,
            ClientKind kind) {
        Recipient recipient(Message message) {
            QoS granted = message.qos().compareTo(qos) < 0 ? message.qos() : qos;
            return new Recipient(clientId, session, granted, false, List.of(), group, kind);
        }
    }

    SimRouting(SimClock clock) {
        this.clock = clock;
    }

    void subscribe(Subscription subscription) {
        subscriptions.add(subscription);
    }

    void ended(String clientId, long session) {
        subscriptions.removeIf(one -> one.clientId.equals(clientId) && one.session == session);
    }

    /** An owner knows all sessions of its shard. */
    Iterator<Runnable> shardLive(int shard, long upTo, ToLongFunction<String> sessionOf) {
        return Collections.emptyIterator();
    }

    /** Whether the session that a message is for has subscriptions still. */
    boolean lives(Recipient recipient) {
        return subscriptions.stream()
                .anyMatch(one -> one.clientId.equals(recipient.clientId()) && one.session == recipient.session());
    }

    void online(SimConnection connection) {
        online.computeIfAbsent(connection.client().name, _ -> new HashSet<>()).add(connection);
    }

    /** A client that another connection has taken over stays online. */
    void offline(SimConnection connection) {
        online.computeIfPresent(connection.client().name, (_, open) -> {
            open.remove(connection);
            return open.isEmpty() ? null : open;
        });
    }

    private boolean isOnline(Subscription subscription) {
        return online.containsKey(subscription.clientId);
    }

    @Override
    public Destinations match(Message message, @Nullable Principal principal, Runnable stored) {
        stored.run();
        return match(message);
    }

    Destinations match(Message message) {
        List<Recipient> recipients = new ArrayList<>();
        TreeMap<String, List<Subscription>> groups = new TreeMap<>();
        for (Subscription one : subscriptions) {
            if (one.topic.equals(message.topic()) && one.group == null) {
                recipients.add(one.recipient(message));
            } else if (one.topic.equals(message.topic())) {
                groups.computeIfAbsent(one.group, _ -> new ArrayList<>()).add(one);
            }
        }
        groups.values().forEach(members -> recipients.add(oneOf(members).recipient(message)));
        return new Destinations(recipients, List.of());
    }

    private Subscription oneOf(List<Subscription> members) {
        List<Subscription> present = members.stream().filter(this::isOnline).toList();
        return clock.oneOf(present.isEmpty() ? members : present);
    }

    @Override
    public @Nullable RoomQueue congestion() {
        return null;
    }

    @Override
    public Destinations matchAgain(Message message) {
        return match(message);
    }

    @Override
    public Destinations matchGroup(Message message, Recipient leaving, boolean mayWait) {
        List<Subscription> others = subscriptions.stream()
                .filter(one -> one.group != null && one.group.equals(leaving.group()))
                .filter(one -> !one.clientId.equals(leaving.clientId()) || one.session != leaving.session())
                .filter(one -> mayWait || isOnline(one))
                .toList();
        return others.isEmpty()
                ? Destinations.NONE
                : new Destinations(List.of(oneOf(others).recipient(message)), List.of());
    }

    @Override
    public boolean hasOnlineMember(String group) {
        return subscriptions.stream().anyMatch(one -> group.equals(one.group) && isOnline(one));
    }

    @Override
    public void deliverTransient(Message message, Destinations destinations, Runnable taken) {
        taken.run();
    }
}
