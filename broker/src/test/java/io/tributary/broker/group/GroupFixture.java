package io.tributary.broker.group;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.delivery.ConnectionRegistry;
import io.tributary.broker.delivery.Delivery;
import io.tributary.broker.delivery.Endpoint;
import io.tributary.broker.delivery.MemberReply;
import io.tributary.broker.delivery.NodeInbox;
import io.tributary.broker.fake.InMemoryReplicatedMap;
import io.tributary.broker.routing.RouteCallback;
import io.tributary.broker.security.Authorizer;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.shard.ConnectionShards;
import io.tributary.broker.subscription.Routes;
import io.tributary.broker.subscription.SharedChoice;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.broker.subscription.SubscriptionLimits;
import io.tributary.broker.subscription.SubscriptionRequest;
import io.tributary.broker.subscription.Subscriptions;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.GroupIdentifier;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.ShardEvent.Attach;
import io.tributary.common.event.ShardEvent.Detach;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.thread.RoomQueue;
import io.tributary.common.topic.TopicFilter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What surrounds the host of a shared subscription, with a thread and a clock that the test moves. */
final class GroupFixture {
    static final String GROUP = "$share/g/t";
    static final int WINDOW = 12;
    static final int DELIVERIES = 2;
    static final int SHARED_PER_CLIENT = 3;

    /** What the host has told, in words. */
    final List<String> told = new ArrayList<>();

    /** What members were handed. */
    final List<Handed> handed = new ArrayList<>();

    final List<Kept> letters = new ArrayList<>();
    /** Clients that may receive nothing. */
    final Set<String> forbidden = new HashSet<>();
    /** The only topics of which clients may receive something. */
    final Map<String, String> onlyTopics = new HashMap<>();
    /** What happens whenever it is asked whether a client may receive something. */
    Runnable whenAsked = () -> {};

    final InMemoryReplicatedMap map = new InMemoryReplicatedMap();
    /** What other nodes are told. */
    final InMemoryReplicatedMap routes = new InMemoryReplicatedMap();

    final Subscriptions subscriptions = new Subscriptions(
            map,
            new Routes(routes, "node#1", RecordFormat.alone()),
            new SubscriptionLimits(100, 100, 1 << 20, 1024, 1 << 30, 64),
            SharedChoice.DEFAULT,
            _ -> 0,
            1,
            _ -> 0,
            new Forbidding(),
            System::nanoTime);
    final ConnectionRegistry connections = new ConnectionRegistry();
    final GroupServices services = new GroupServices(
            "node#1",
            new Shards(),
            subscriptions,
            connections,
            NodeInbox.NONE,
            (message, callback) -> letters.add(new Kept(message, callback)),
            new GroupServices.Limits(WINDOW, 1 << 20, DELIVERIES, SHARED_PER_CLIENT),
            new Recorder(),
            this::nanos,
            this::instant);

    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private long nanos = Long.MAX_VALUE - 5; // it may wrap
    private long millis;

    /** A message that a member was handed. */
    record Handed(String clientId, Queued message, boolean dup, MemberReply reply) {
        String text() {
            return new String(message.message().payload(), StandardCharsets.UTF_8);
        }
    }

    /** A dead letter that is being published. */
    record Kept(Message message, RouteCallback callback) {}

    GroupFixture() {
        subscriptions.start().toCompletableFuture().join();
    }

    Executor thread() {
        return tasks::add;
    }

    long nanos() {
        return nanos;
    }

    private Instant instant() {
        return Instant.ofEpochMilli(millis);
    }

    void pass(Duration time) {
        nanos += time.toNanos();
        millis += time.toMillis();
    }

    /** Runs what is queued for the thread, until nothing is. */
    void run() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    /** Members that are connected here. */
    void online(String... clientIds) {
        for (String clientId : clientIds) {
            Subscriber member = member(clientId);
            subscribe(clientId, GROUP);
            connections.addPersistent(new Member(clientId));
            subscriptions.online(member);
        }
    }

    void subscribe(String clientId, String group) {
        SubscriptionRequest request =
                new SubscriptionRequest(TopicFilter.parse(group), QoS.AT_LEAST_ONCE, false, true, 0);
        subscriptions
                .subscribe(member(clientId), 1, List.of(request))
                .toCompletableFuture()
                .join();
    }

    void unsubscribe(String clientId, String group) {
        subscriptions
                .unsubscribe(member(clientId), 1, List.of(TopicFilter.parse(group)))
                .toCompletableFuture()
                .join();
    }

    void gone(String clientId) {
        subscriptions.end(member(clientId));
    }

    private static Subscriber member(String clientId) {
        return new Subscriber(clientId, true, 1, null, ClientKind.APPLICATION, null);
    }

    /** The session of the group, once it is subscribed. */
    boolean isHosted() {
        Subscriber session = subscriptions.sessionOf(GROUP);
        return session != null && subscriptions.isOnline(session);
    }

    static Attached attached(long session) {
        return new Attached(session, session + 1, false, ClientKind.APPLICATION, new int[0], 50);
    }

    /** Messages with these sequence numbers, whose texts are the numbers. */
    static List<Delivery> messages(long... sequences) {
        return Arrays.stream(sequences)
                .mapToObj(sequence -> new Delivery(sequence, queued(String.valueOf(sequence)), false))
                .toList();
    }

    static Queued queued(String text) {
        return queued("t", text);
    }

    static Queued queued(String topic, String text) {
        return queued(topic, text, Message.NEVER);
    }

    static Queued queued(String text, long expiresAtMillis) {
        return queued("t", text, expiresAtMillis);
    }

    private static Queued queued(String topic, String text, long expiresAtMillis) {
        Message message = new Message(
                topic,
                text.getBytes(StandardCharsets.UTF_8),
                QoS.AT_LEAST_ONCE,
                false,
                PublishProperties.NONE,
                expiresAtMillis,
                "p");
        return new Queued(message, QoS.AT_LEAST_ONCE, false, List.of(), null);
    }

    /** The texts that a member was handed. */
    Stream<String> textsOf(String clientId) {
        return handed.stream().filter(each -> each.clientId().equals(clientId)).map(Handed::text);
    }

    private final class Forbidding implements Authorizer {
        @Override
        public boolean mayPublish(ClientInfo client, String topic, QoS qos, boolean retain) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean maySubscribe(ClientInfo client, String topicFilter, QoS qos) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean mayReceive(ClientInfo client, String topic) {
            whenAsked.run();
            return !forbidden.contains(client.clientId())
                    && onlyTopics.getOrDefault(client.clientId(), topic).equals(topic);
        }
    }

    private final class Shards implements ConnectionShards {
        @Override
        public void attach(Attach attach, LongConsumer appended) {
            told.add("attach " + GroupIdentifier.display(attach.clientId()));
            appended.accept(7);
        }

        @Override
        public void detach(Detach detach, Runnable logged) {
            told.add("detach " + detach.epoch() + (detach.sessionExpirySeconds() == 0 ? " for good" : ""));
        }

        @Override
        public void settle(String clientId, long epoch, long[] sequences) {
            told.add("settle " + Arrays.toString(sequences));
        }

        @Override
        public boolean owns(String clientId) {
            return true;
        }
    }

    private final class Member implements Endpoint {
        private final String clientId;

        private Member(String clientId) {
            this.clientId = clientId;
        }

        @Override
        public String clientId() {
            return clientId;
        }

        @Override
        public boolean has(long session) {
            return true;
        }

        @Override
        public void share(Queued message, boolean dup, MemberReply reply) {
            handed.add(new Handed(clientId, message, dup, reply));
        }

        @Override
        public @Nullable RoomQueue offer(Queued message) {
            told.add("qos0 " + clientId);
            return null;
        }
    }

    private final class Recorder implements GroupRecorder {
        @Override
        public void redelivered() {
            told.add("redelivered");
        }

        @Override
        public void putAside() {
            told.add("put aside");
        }

        @Override
        public void dropped(Drop reason) {
            told.add("dropped " + reason);
        }
    }
}
