package io.tributary.broker.routing;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.delivery.ConnectionRegistry;
import io.tributary.broker.delivery.Endpoint;
import io.tributary.broker.delivery.NodeView;
import io.tributary.broker.extension.PublishInterceptor;
import io.tributary.broker.fake.InMemoryReplicatedMap;
import io.tributary.broker.retained.RetainedLimits;
import io.tributary.broker.retained.RetainedMessages;
import io.tributary.broker.security.Authorizer;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.subscription.Routes;
import io.tributary.broker.subscription.SharedChoice;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.broker.subscription.SubscriptionLimits;
import io.tributary.broker.subscription.SubscriptionRequest;
import io.tributary.broker.subscription.Subscriptions;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.event.Source;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.thread.RoomQueue;
import io.tributary.common.topic.TopicFilter;
import io.tributary.persistence.shard.AppendCallback;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/** A router with real subscriptions and retained messages, on outputs that remember what went through them. */
public final class RouterFixture implements Authorizer, RouterRecorder {
    /** What went to a connection, by its number, or to a persistent session's, by its client identifier. */
    public record Delivered(String to, Queued message) {}

    /** The largest packet of a client, in bytes. */
    static final int LARGEST_PACKET = 4096;

    /** What went to the logs of receivers' shards. */
    record Append(
            Message message,
            List<Recipient> recipients,
            @Nullable Source source,
            AppendCallback callback) {}

    /** What went to the logs of publishers' shards. */
    record Relayed(ShardEvent.Relay relay, AppendCallback callback) {}

    /** What the retained messages are stored in. */
    public final InMemoryReplicatedMap retainedMap = new InMemoryReplicatedMap();

    /** What nodes tell each other. */
    final InMemoryReplicatedMap routesMap = new InMemoryReplicatedMap();

    final Routes routes = new Routes(routesMap, "node-1", RecordFormat.alone());
    /** Who has subscribed. */
    public final Subscriptions subscriptions = new Subscriptions(
            new InMemoryReplicatedMap(),
            routes,
            SubscriptionLimits.defaults(),
            SharedChoice.DEFAULT,
            subscriber -> 0,
            1,
            _ -> 0,
            this,
            System::nanoTime);
    /** The retained messages. */
    public final RetainedMessages retained;

    /** What went to connections. */
    public final List<Delivered> deliveries = new ArrayList<>();

    final List<Append> appends = new ArrayList<>();
    final List<Relayed> relays = new ArrayList<>();
    /** Who gets deliveries. */
    public final ConnectionRegistry connections = new ConnectionRegistry();

    final List<PublishInterceptor> interceptors = new ArrayList<>();
    BiPredicate<String, String> mayPublish = (client, topic) -> true;
    BiPredicate<String, String> mayReceive = (client, topic) -> true;

    final FakeInbox inbox = new FakeInbox();
    final List<Drop> drops = new ArrayList<>();
    int received;
    int delivered;

    /** Which priorities messages get; a change after the first call of {@link #router} does not count. */
    PriorityConfig priorities = PriorityConfig.NONE;

    private @Nullable Router router;

    /** With the usual limits. */
    public RouterFixture() {
        this(RetainedLimits.defaults());
    }

    /** Whether the others know of subscriptions that this node does not. */
    boolean behind;

    RouterFixture(RetainedLimits limits) {
        retained = new RetainedMessages(retainedMap, limits, InstantSource.system(), RecordFormat.alone());
        retained.start().toCompletableFuture().join();
        subscriptions.start().toCompletableFuture().join();
    }

    static Publisher publisher(String clientId, boolean persistent) {
        return publisher(clientId, persistent, ProtocolVersion.MQTT_5);
    }

    static Publisher publisher(String clientId, boolean persistent, ProtocolVersion version) {
        ClientInfo client = new ClientInfo(clientId, null, version, "127.0.0.1:1", "tcp");
        return new Publisher(client.clientId(), client, Authorizer.allowAll().bind(client), persistent, 42);
    }

    /** The router; interceptors added after the first call do not count. */
    public Router router() {
        if (router == null) {
            RouterOutputs outputs = new RouterOutputs(
                    connections,
                    inbox,
                    (message, recipients, source, callback) ->
                            appends.add(new Append(message, List.copyOf(recipients), source, callback)),
                    (relay, _, callback) -> relays.add(new Relayed(relay, callback)));
            router = new Router(
                    "node-1",
                    new View(),
                    subscriptions,
                    retained,
                    new PublishPolicy(this, interceptors, LARGEST_PACKET),
                    new MessagePriorities(priorities, RecordFormat.alone()),
                    outputs,
                    this);
        }
        return router;
    }

    private final class View implements NodeView {
        @Override
        public boolean isCurrent() {
            return !behind;
        }

        @Override
        public void onCurrent(Runnable action) {
            throw new UnsupportedOperationException();
        }
    }

    /** Publishes for a transient client named "publisher"; the outcome joins the list when it is known. */
    List<RouteOutcome> publish(Message message) {
        return publish(message, publisher("publisher", false));
    }

    List<RouteOutcome> publish(Message message, Publisher publisher) {
        List<RouteOutcome> outcomes = new ArrayList<>();
        Publisher asked = new Publisher(
                publisher.clientId(),
                publisher.client(),
                bind(publisher.client()),
                publisher.persistent(),
                publisher.epoch());
        router().publish(asked, message, message.qos() == QoS.EXACTLY_ONCE ? 5 : 0, outcomes::add);
        return outcomes;
    }

    /** Makes a subscription. */
    public void subscribe(Subscriber subscriber, String filter, QoS qos) {
        subscribe(subscriber, new SubscriptionRequest(TopicFilter.parse(filter), qos, false, false, 0));
    }

    void subscribe(Subscriber subscriber, SubscriptionRequest request) {
        if (!subscriber.persistent() && subscriber.node() == null) {
            connect(subscriber.clientId(), subscriber.identity());
        }
        subscriptions
                .subscribe(subscriber, 0, List.of(request))
                .toCompletableFuture()
                .join();
    }

    /** A client has a connection under a number, of a transient session. */
    void connect(String clientId, long number) {
        connections.add(number, new Connected(clientId, Long.toString(number)));
    }

    /** A client has a connection, of a persistent session. */
    void connect(String clientId) {
        connections.addPersistent(new Connected(clientId, clientId));
    }

    private final class Connected implements Endpoint {
        private final String clientId;
        private final String to;

        private Connected(String clientId, String to) {
            this.clientId = clientId;
            this.to = to;
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
        public @Nullable RoomQueue offer(Queued message) {
            deliveries.add(new Delivered(to, message));
            return null;
        }
    }

    Append onlyAppend() {
        assertThat(appends).hasSize(1);
        return appends.getFirst();
    }

    Relayed onlyRelay() {
        assertThat(relays).hasSize(1);
        return relays.getFirst();
    }

    Delivered onlyDelivery() {
        assertThat(deliveries).hasSize(1);
        return deliveries.getFirst();
    }

    @Override
    public boolean mayPublish(ClientInfo client, String topic, QoS qos, boolean retain) {
        return mayPublish.test(client.clientId(), topic);
    }

    @Override
    public boolean maySubscribe(ClientInfo client, String topicFilter, QoS qos) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean mayReceive(ClientInfo client, String topic) {
        return mayReceive.test(client.clientId(), topic);
    }

    @Override
    public void received(Message message) {
        received++;
    }

    @Override
    public void delivered(int receivers) {
        delivered += receivers;
    }

    @Override
    public void dropped(Drop reason) {
        drops.add(reason);
    }
}
