package io.tributary.broker.canary;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.tributary.broker.canary.CanaryRecorder.Kind;
import io.tributary.broker.connection.ClientConnection;
import io.tributary.broker.connection.ClientConnections;
import io.tributary.broker.connection.ClientLimits;
import io.tributary.broker.connection.ConnectionOrigin;
import io.tributary.broker.connection.ConnectionServices;
import io.tributary.broker.connection.PacketSink;
import io.tributary.broker.loop.LoopMailbox;
import io.tributary.common.codec.DecoderLimits;
import io.tributary.common.codec.MqttDecoder;
import io.tributary.common.codec.MqttEncoder;
import io.tributary.common.codec.PublishTemplate;
import io.tributary.common.codec.PublishVariant;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.MqttPacket.Unsuback;
import io.tributary.common.mqtt.MqttPacket.Unsubscribe;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One connection of the canary: a client in this process that has a {@link ClientConnection} like any other, without a
 * socket. It gets a clean session, subscribes to one topic, and acknowledges what comes. Confined to the event loop;
 * what the broker writes is looked at in the loop's next turn.
 */
final class CanaryClient implements PacketSink {
    /** How long a persistent session outlives a node that was not stopped in order. */
    private static final long SESSION_EXPIRY_SECONDS = 60;

    /** How many messages may be without a PUBACK, in either direction. */
    private static final int MOST_OPEN = 100;

    private static final int SUBSCRIBING = 1;
    private static final int LARGEST_PACKET_ID = 65_535;
    private static final byte[] NO_PAYLOAD = {};
    private static final ProtocolVersion VERSION = ProtocolVersion.MQTT_5;

    private final Kind kind;
    private final String clientId;
    private final String topic;
    private final Owner owner;
    private final LoopMailbox loop;
    private final ClientConnection connection;
    private final MqttEncoder encoder = new MqttEncoder(VERSION, ConnectProperties.LARGEST_PACKET);
    private final MqttDecoder decoder = MqttDecoder.forClient(VERSION, DecoderLimits.DEFAULT);

    /** What the connection does not read yet. */
    private final Queue<MqttPacket> unread = new ArrayDeque<>();

    /** Who waits for a PUBACK, by packet identifier. */
    private final Map<Integer, Consumer<ReasonCode>> open = new HashMap<>();

    private int packetId = SUBSCRIBING;
    private boolean isSubscribed;
    private boolean isEnding;
    private boolean isClosed;

    /** Whose connection it is; called on the event loop. */
    interface Owner {
        /** The client gets messages from now on. */
        void subscribed(CanaryClient client);

        /** A message came. */
        void came(CanaryClient client, PublishProperties properties);

        /** The connection has ended. */
        void closed(CanaryClient client);
    }

    CanaryClient(
            Kind kind,
            String clientId,
            String topic,
            ConnectionServices services,
            ClientConnections connections,
            LoopMailbox loop,
            Owner owner) {
        this.kind = kind;
        this.clientId = clientId;
        this.topic = topic;
        this.loop = loop;
        this.owner = owner;
        ConnectionOrigin here = new ConnectionOrigin("the canary", null, "canary", () -> null, () -> null, null, null);
        connection = new ClientConnection(services, connections, ClientLimits.DEFAULT, here, loop, this);
    }

    /** Which session it has. */
    Kind kind() {
        return kind;
    }

    /** Whether it gets messages. */
    boolean isSubscribed() {
        return isSubscribed && !isEnding && !isClosed;
    }

    /** Connects and subscribes. */
    void open() {
        connection.open();
        long expirySeconds = kind == Kind.PERSISTENT ? SESSION_EXPIRY_SECONDS : 0;
        ConnectProperties properties = new ConnectProperties(
                expirySeconds, MOST_OPEN, ConnectProperties.LARGEST_PACKET, 0, false, true, null, null, List.of());
        give(new Connect(VERSION, true, 0, clientId, null, null, null, properties));
    }

    /**
     * Publishes a message of QoS 1.
     *
     * @param acknowledged given the reason of the PUBACK, unless the connection ends before
     * @return false when too many are without a PUBACK; then it was not published
     */
    boolean publish(String to, PublishProperties properties, long expirySeconds, Consumer<ReasonCode> acknowledged) {
        if (!isSubscribed() || open.size() >= MOST_OPEN) {
            return false;
        }
        do {
            packetId = packetId == LARGEST_PACKET_ID ? SUBSCRIBING + 1 : packetId + 1;
        } while (open.containsKey(packetId));
        open.put(packetId, acknowledged);
        give(new Publish(
                to, NO_PAYLOAD, QoS.AT_LEAST_ONCE, false, false, packetId, 0, expirySeconds, properties, List.of()));
        return true;
    }

    /** Unsubscribes, disconnects, and leaves no session behind; {@link Owner#closed} says when that is done. */
    void end() {
        if (isEnding || isClosed) {
            return;
        }
        if (isSubscribed) {
            give(new Unsubscribe(SUBSCRIBING, List.of(topic), List.of()));
        } else {
            disconnect();
        }
        isEnding = true;
    }

    private void disconnect() {
        give(new Disconnect(ReasonCode.SUCCESS, 0, null, null, List.of()));
    }

    private void give(MqttPacket packet) {
        unread.add(packet);
        read();
    }

    private void read() {
        while (connection.mayRead() && !unread.isEmpty()) {
            connection.handle(unread.remove());
        }
    }

    private void take(MqttPacket packet) {
        if (isClosed) {
            return;
        }
        switch (packet) {
            case Connack connack when !connack.reason().isError() -> subscribe();
            case Suback suback
            when !suback.reasons().getFirst().isError() -> {
                isSubscribed = true;
                owner.subscribed(this);
            }
            case Puback puback -> {
                Consumer<ReasonCode> waiting = open.remove(puback.packetId());
                if (waiting != null) {
                    waiting.accept(puback.reason());
                }
            }
            case Publish publish -> {
                give(new Puback(publish.packetId(), ReasonCode.SUCCESS, null, List.of()));
                owner.came(this, publish.properties());
            }
            case Unsuback _ -> disconnect();
            case Suback _ -> connection.connectionLost();
            default -> {} // a refusal, whose end follows
        }
    }

    private void subscribe() {
        Subscription all = new Subscription(topic, QoS.AT_LEAST_ONCE, false, false, RetainHandling.DO_NOT_SEND);
        give(new Subscribe(SUBSCRIBING, List.of(all), 0, List.of()));
    }

    @Override
    public void use(ProtocolVersion version, int maximumPacketSize) {}

    @Override
    public void send(MqttPacket packet) {
        loop.post(() -> take(packet));
    }

    @Override
    public boolean publish(PublishTemplate template, PublishVariant variant) {
        ByteBuf bytes = Unpooled.buffer();
        MqttPacket packet = encoder.encode(template, variant, bytes) ? decoder.decode(bytes) : null;
        if (packet == null) {
            return false;
        }
        send(packet);
        return true;
    }

    @Override
    public boolean isWritable() {
        return !isClosed;
    }

    @Override
    public void resumeReading() {
        loop.post(this::read);
    }

    @Override
    public void close(@Nullable MqttPacket last) {
        if (!isClosed) {
            isClosed = true;
            loop.post(() -> owner.closed(this));
        }
    }
}
