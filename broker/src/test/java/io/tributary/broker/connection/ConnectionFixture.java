package io.tributary.broker.connection;

import io.netty.channel.embedded.EmbeddedChannel;
import io.tributary.broker.delivery.Delivery;
import io.tributary.broker.extension.ClientListener;
import io.tributary.broker.extension.SubscribeInterceptor;
import io.tributary.broker.guard.BanLimit;
import io.tributary.broker.guard.BanLimits;
import io.tributary.broker.guard.Guard;
import io.tributary.broker.guard.GuardConfig;
import io.tributary.broker.guard.GuardRecorder;
import io.tributary.broker.loop.LoopMailbox;
import io.tributary.broker.security.Authenticator;
import io.tributary.broker.security.Authorizer;
import io.tributary.broker.security.BanList;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.ClientRules;
import io.tributary.broker.security.EnhancedAuthenticator;
import io.tributary.broker.security.OnRevocation;
import io.tributary.broker.security.Revocations;
import io.tributary.broker.security.SessionTakeover;
import io.tributary.broker.tenant.TenantRecorder;
import io.tributary.broker.tenant.Tenants;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A session between a fake connection and a fake backend, on an event loop that the test turns by hand. */
final class ConnectionFixture {
    static final long NOW = 1_000_000;
    static final BanLimit ONCE = new BanLimit(1, Duration.ofMinutes(1), Duration.ofMinutes(1));

    final FakeBackend backend = new FakeBackend();
    final FakeSink sink = new FakeSink();
    final CountingRecorder recorder = new CountingRecorder();
    final ClientConnections sessions = backend.target;
    final EmbeddedChannel loop = new EmbeddedChannel();
    final LoopMailbox mailbox = new LoopMailbox(loop.eventLoop());
    final Map<String, EnhancedAuthenticator> methods = new HashMap<>();
    final List<String> events = new ArrayList<>();
    final List<ClientInfo> clients = new ArrayList<>();
    Authenticator authenticator = (client, password) -> CompletableFuture.completedFuture(new Authenticator.Accepted());
    Authorizer authorizer = Authorizer.allowAll();
    SubscribeInterceptor interceptor = (client, subscription) -> new SubscribeInterceptor.Proceed(subscription);
    ClientRules clientRules = ClientRules.NONE;
    Tenants tenants = new Tenants(TenantRecorder.NONE);
    final Revocations revocations = new Revocations(OnRevocation.REMOVE, (_, _) -> {});
    SessionTakeover takeover = SessionTakeover.PRINCIPAL;
    ClientLimits limits = ClientLimits.DEFAULT;

    @Nullable
    ReasonCode refusal;

    @Nullable
    String serverReference;

    Guard guard = Guard.lenient();

    @Nullable
    InetAddress address;

    @Nullable
    String certificateSubject;

    long wallMillis = NOW;
    private @Nullable ClientConnection connection;

    ConnectionFixture() {
        loop.freezeTime();
    }

    /** One that bans users and addresses for failures. */
    static Guard guard(BanLimit ofUsers, BanLimit ofAddresses) {
        GuardConfig usual = GuardConfig.DEFAULT;
        return new Guard(
                new GuardConfig(
                        usual.unauthenticatedMemory(),
                        usual.unauthenticatedSize(),
                        usual.perAddress(),
                        usual.perClient(),
                        new BanLimits(BanLimit.NONE, ofUsers, ofAddresses),
                        BanLimits.NONE,
                        List.of()),
                GuardRecorder.NONE,
                () -> 0,
                () -> Instant.EPOCH);
    }

    /** The connection, begun at the first call. */
    ClientConnection connection() {
        ClientConnection begun = connection;
        if (begun == null) {
            begun = new ClientConnection(
                    services(),
                    sessions,
                    limits,
                    new ConnectionOrigin(
                            "peer",
                            address,
                            "listener",
                            () -> certificateSubject,
                            () -> null,
                            refusal,
                            serverReference),
                    mailbox,
                    sink);
            connection = begun;
            begun.open();
        }
        return begun;
    }

    private ConnectionServices services() {
        return new ConnectionServices(
                "node",
                backend.parts,
                new AccessControl(
                        authenticator, methods, authorizer, clientRules, takeover, BanList.NONE, revocations, null),
                new Extensions(interceptor, List.of(new Noting())),
                recorder,
                guard,
                tenants,
                () -> Instant.ofEpochMilli(wallMillis));
    }

    /** What a part of a connection knows, for one without a connection. */
    ConnectionContext context() {
        return new ConnectionContext(
                services(), limits, mailbox, sink, new PacketGate(recorder, () -> {}), new AtomicLong(), _ -> {});
    }

    /** Has the client send a packet, and turns the event loop. */
    void send(MqttPacket packet) {
        connection().handle(packet);
        turn();
    }

    /** Connects the client, and takes the CONNACK. */
    Connack connect(Connects connect) {
        send(connect.build());
        return sink.takeOnly(Connack.class);
    }

    /** Turns the event loop until it has nothing to do. */
    void turn() {
        loop.runPendingTasks();
    }

    /** Lets time go by. */
    void pass(Duration time) {
        wallMillis += time.toMillis();
        loop.advanceTimeBy(time.toNanos(), TimeUnit.NANOSECONDS);
        loop.runScheduledPendingTasks();
        turn();
    }

    /** The number of the connection, once it was attached. */
    long connectionNumber() {
        return backend.attaches.getLast().connection();
    }

    /** Has the shard deliver entries of the queue. */
    void deliver(Delivery... deliveries) {
        backend.connections.deliver(connectionNumber(), List.of(deliveries));
        turn();
    }

    /** Has the router deliver a message. */
    void deliver(Queued message) {
        backend.connections.deliverTransient(connectionNumber(), message);
        turn();
    }

    static Delivery delivery(long sequence, QoS qos) {
        return new Delivery(sequence, queued("m" + sequence, qos), false);
    }

    /** One of a priority, {@code m1} for sequence number 1. */
    static Delivery delivery(long sequence, QoS qos, int priority) {
        return new Delivery(sequence, queued("m" + sequence, qos, priority), false);
    }

    static Queued queued(String payload, QoS qos, int priority) {
        return queued(message("topic", payload, qos).withPriority(priority));
    }

    static Queued queued(String payload, QoS qos) {
        return queued(message("topic", payload, qos));
    }

    static Queued queued(Message message) {
        return new Queued(message, message.qos(), false, List.of(), null);
    }

    static Queued shared(String payload, QoS qos) {
        return new Queued(message("topic", payload, qos), qos, false, List.of(), "$share/g/topic");
    }

    static Message message(String topic, String payload, QoS qos) {
        return new Message(topic, utf8(payload), qos, false, PublishProperties.NONE, Message.NEVER, "publisher");
    }

    static Message expiring(String payload, QoS qos, long atMillis) {
        return new Message("topic", utf8(payload), qos, false, PublishProperties.NONE, atMillis, "publisher");
    }

    static Publish publish(QoS qos, int packetId) {
        return publish("topic", qos, packetId, 0);
    }

    static Publish publish(String topic, QoS qos, int packetId, int alias) {
        return new Publish(
                topic,
                utf8("p" + packetId),
                qos,
                false,
                false,
                packetId,
                alias,
                MqttPacket.ABSENT,
                PublishProperties.NONE,
                List.of());
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static String text(Publish packet) {
        return new String(packet.payload(), StandardCharsets.UTF_8);
    }

    static List<String> texts(List<Publish> packets) {
        return packets.stream().map(ConnectionFixture::text).toList();
    }

    private final class Noting implements ClientListener {
        @Override
        public void onConnected(ClientInfo client, boolean sessionPresent) {
            events.add("connected " + client.clientId());
            clients.add(client);
            throw new IllegalStateException("changes nothing");
        }

        @Override
        public void onDisconnected(ClientInfo client, ReasonCode reason) {
            events.add("disconnected " + client.clientId() + " " + reason);
            clients.add(client);
        }
    }
}
