package io.tributary.server.blackbox.load;

import io.tributary.broker.blackbox.TestClient;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.MqttPacket.Pingresp;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Pubcomp;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Pubrec;
import io.tributary.common.mqtt.MqttPacket.Pubrel;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import io.tributary.common.mqtt.Will;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A persistent subscriber at QoS 2. It subscribes once; from then on its session has to do. It can be sent away for a
 * while, and it can be slow to acknowledge. When the broker says nothing it asks whether it is there, and leaves it
 * when it does not answer.
 */
public final class LoadSubscriber implements Runnable {
    private static final int MOST_IN_FLIGHT = 65_535;

    private final LoadContext scene;
    private final String name;
    private final Connect connect;
    private final int acknowledgeLate;
    private final String filter;
    private final Audience audience;

    /** Who the judge thinks gets it: the client, or the group that it is in. */
    private final String receiver;

    /** The QoS 2 messages that were taken and are not released, by packet identifier; lives with the session. */
    private final Map<Integer, Payload> unreleased = new HashMap<>();

    private final Experience.Client experience;
    private int connections;
    private boolean subscribed;

    /** Acknowledgements that are kept back; lives with the connection. */
    private final Deque<MqttPacket> late = new ArrayDeque<>();

    private volatile boolean away;
    private volatile boolean online;

    /** Who is told of each message, other than a QoS 2 message again that is not released yet. */
    private interface Audience {
        void received(Payload payload, Publish publish, int connection);
    }

    private LoadSubscriber(
            LoadContext scene, String name, Connect connect, int acknowledgeLate, String filter, String receiver) {
        this.scene = scene;
        this.name = name;
        this.connect = connect;
        this.acknowledgeLate = acknowledgeLate;
        this.filter = filter;
        this.receiver = receiver;
        boolean wills = filter.equals(scene.willFilter());
        audience = wills
                ? (payload, publish, connection) ->
                        scene.wills().seen(receiver, payload, publish.qos(), publish.dup(), connection)
                : this::judged;
        experience = scene.experience().client();
    }

    private void judged(Payload payload, Publish publish, int connection) {
        if (scene.judge().received(receiver, payload, publish.qos(), publish.dup(), connection) && !away) {
            scene.experience().waited(System.nanoTime() - scene.rounds().dueNanos(payload.number()));
        }
    }

    /**
     * Creates one that gets everything that is published, and makes it known to the judge.
     *
     * @param acknowledgeLate how many acknowledgements it keeps back while messages come
     */
    public static LoadSubscriber ofAll(
            LoadContext scene, String name, ProtocolVersion version, int receiveMaximum, int acknowledgeLate) {
        scene.judge().addSubscriber(name);
        return new LoadSubscriber(
                scene, name, connect(name, version, receiveMaximum), acknowledgeLate, scene.filter(), name);
    }

    /**
     * Creates one that gets everything that is published, and makes it known to the judge. Its session ends, and its
     * will is published, when it is away for as long as given: never, if the broker's clocks are right.
     */
    public static LoadSubscriber sleeper(LoadContext scene, String name, Duration longestAbsence) {
        scene.judge().addSubscriber(name);
        Payload life = scene.wills().addImpossible();
        Message message = new Message(
                scene.willTopic(life.publisher()),
                life.bytes(),
                QoS.EXACTLY_ONCE,
                false,
                PublishProperties.NONE,
                Message.NEVER,
                "");
        long seconds = longestAbsence.toSeconds();
        Connect connect = new Connect(
                ProtocolVersion.MQTT_5,
                false,
                0,
                name,
                new Will(message, seconds, MqttPacket.ABSENT),
                null,
                null,
                ConnectProperties.defaults(seconds));
        return new LoadSubscriber(scene, name, connect, 0, scene.filter(), name);
    }

    /** Creates one that shares everything with the other members of a group, which the judge knows already. */
    public static LoadSubscriber member(LoadContext scene, String group, String name) {
        Connect connect = connect(name, ProtocolVersion.MQTT_5, 50);
        return new LoadSubscriber(scene, name, connect, 0, "$share/" + group + "/" + scene.filter(), group);
    }

    /** Creates one that gets all wills, and makes it known to their judge. */
    public static LoadSubscriber ofWills(LoadContext scene, String name) {
        scene.wills().addWatcher(name);
        Connect connect = connect(name, ProtocolVersion.MQTT_5, MOST_IN_FLIGHT);
        return new LoadSubscriber(scene, name, connect, 0, scene.willFilter(), name);
    }

    private static Connect connect(String name, ProtocolVersion version, int receiveMaximum) {
        return new Connect(
                version,
                false,
                0,
                name,
                null,
                null,
                null,
                new ConnectProperties(
                        ConnectProperties.NEVER_EXPIRES,
                        receiveMaximum,
                        ConnectProperties.LARGEST_PACKET,
                        0,
                        false,
                        true,
                        null,
                        null,
                        List.of()));
    }

    /** Who the judge thinks gets it: this subscriber, or the group that it is in. */
    public String receiver() {
        return receiver;
    }

    /** Sends it away, or calls it back. */
    public void setAway(boolean newAway) {
        away = newAway;
    }

    /** Whether it was sent away. */
    public boolean isAway() {
        return away;
    }

    /** Whether it is connected and subscribed. */
    public boolean isOnline() {
        return online;
    }

    @Override
    public String toString() {
        return name;
    }

    @Override
    public void run() {
        try {
            while (!scene.rounds().isOver()) {
                if (away) {
                    scene.rest();
                } else {
                    connectAndReceive();
                }
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error failure) {
            scene.judge().violation(name + " failed: " + failure);
            throw failure;
        }
    }

    private void connectAndReceive() throws InterruptedException {
        try (TestClient client = scene.open(connect)) {
            begin(client);
            online = true;
            LivenessProbe lifeline = new LivenessProbe(client, scene.patience());
            while (!away && !scene.rounds().isOver()) {
                receive(client, lifeline);
            }
        } catch (IOException broken) {
            experience.ended(broken);
            scene.rest();
        } finally {
            online = false;
        }
    }

    private void begin(TestClient client) throws IOException {
        late.clear();
        Connack connack = client.connect(connect, scene.patience());
        experience.connected();
        connections++;
        if (subscribed && !connack.sessionPresent()) {
            scene.judge().violation("the session of " + name + " is gone");
        }
        if (!subscribed) {
            Subscription all = new Subscription(filter, QoS.EXACTLY_ONCE, false, false, RetainHandling.DO_NOT_SEND);
            client.send(new Subscribe(1, List.of(all), 0, List.of()));
            client.await(Suback.class, scene.patience());
            subscribed = true;
        }
    }

    private void receive(TestClient client, LivenessProbe lifeline) throws IOException {
        MqttPacket packet = client.poll(scene.look());
        lifeline.check(packet != null);
        if (packet == null) {
            acknowledge(client, 0);
        }
        while (packet != null) {
            handle(packet);
            acknowledge(client, acknowledgeLate);
            packet = client.next();
        }
        client.flush();
    }

    private void handle(MqttPacket packet) throws IOException {
        switch (packet) {
            case Publish publish
            when publish.qos() == QoS.EXACTLY_ONCE -> {
                takeOnce(publish);
                late.add(new Pubrec(publish.packetId(), ReasonCode.SUCCESS, null, List.of()));
            }
            case Publish publish -> {
                take(publish);
                late.add(new Puback(publish.packetId(), ReasonCode.SUCCESS, null, List.of()));
            }
            case Pubrel release -> {
                unreleased.remove(release.packetId());
                late.add(new Pubcomp(release.packetId(), ReasonCode.SUCCESS, null, List.of()));
            }
            case Pingresp _ -> {}
            case Disconnect farewell -> throw new IOException("the broker stops: " + farewell);
            default -> throw new AssertionError(name + " got " + packet);
        }
    }

    private void takeOnce(Publish publish) {
        Payload payload = Payload.parse(publish.payload());
        Payload known = unreleased.putIfAbsent(publish.packetId(), payload);
        if (known == null) {
            take(publish);
        } else if (!known.equals(payload) || !(publish.dup() || scene.judge().faults() > 0)) {
            scene.judge()
                    .violation(name + " got " + payload + ", dup " + publish.dup() + ", as packet " + publish.packetId()
                            + ", which is " + known + " and not released");
        }
    }

    private void take(Publish publish) {
        Payload payload = Payload.parse(publish.payload());
        audience.received(payload, publish, connections);
    }

    private void acknowledge(TestClient client, int keep) {
        while (late.size() > keep) {
            client.queue(late.removeFirst());
        }
    }
}
