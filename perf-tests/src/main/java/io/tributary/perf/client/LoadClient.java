package io.tributary.perf.client;

import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.MqttPacket.Pingreq;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Pubcomp;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Pubrec;
import io.tributary.common.mqtt.MqttPacket.Pubrel;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.perf.judge.Count;
import io.tributary.perf.judge.Metric;
import io.tributary.perf.judge.Receiver;
import io.tributary.perf.judge.SourceCounts;
import io.tributary.perf.scenario.Churn;
import io.tributary.perf.scenario.MqttOptions;
import io.tributary.perf.scenario.PlannedClient;
import io.tributary.perf.scenario.PublishOptions;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One client, over all of its connections. Confined to its event loop, but for the methods that say otherwise.
 *
 * <pre>
 * OFFLINE    - connect() -&gt;                 CONNECTING
 * CONNECTING - CONNACK, and SUBACK if any -&gt; READY         timeout, refusal, close -&gt; OFFLINE
 * READY      - disconnect(), drop() -&gt;      OFFLINE        closed by the broker -&gt; OFFLINE, and soon CONNECTING
 * </pre>
 *
 * One that was ready, and is closed by the broker, tries to come back until it is told to go; one that was not gives
 * up.
 */
final class LoadClient {
    private static final long RECONNECT_MILLIS = 200;
    private static final long MOST_RECONNECT_MILLIS = 5_000;

    private final PlannedClient planned;
    private final LoadLoop loop;
    private final Dialer dialer;
    private final MqttOptions mqtt;
    private final @Nullable Publisher publisher;
    private final @Nullable Subscriber subscriber;

    // Lives with the session.
    private boolean subscribed;
    /** Whether it is to be connected; if it is not and nobody says so, it comes back by itself. */
    private boolean wanted;
    /** Whether it was ready since then. */
    private boolean established;

    private long reconnectMillis = RECONNECT_MILLIS;

    /** Whether the broker may keep a session for it. */
    private boolean mayHaveSession;
    /** Whether all that it still connects for is that the broker forgets its session. */
    private boolean endsSession;

    // Lives with the connection.
    private @Nullable Connection connection;
    private boolean ready;
    private boolean hasSession;
    private CompletableFuture<Void> connecting = CompletableFuture.completedFuture(null);
    private long dialledNanos;

    // Lives with a step in which it publishes.
    private @Nullable Wandering wandering;

    LoadClient(PlannedClient planned, LoadLoop loop, Dialer dialer, @Nullable Receiver judge) {
        this.planned = planned;
        this.loop = loop;
        this.dialer = dialer;
        mqtt = loop.plan().scenario().mqtt();
        PublishOptions publish = planned.group().publish();
        publisher = publish == null ? null : new Publisher(planned, publish, loop);
        subscriber = judge == null ? null : new Subscriber(planned, loop, judge);
    }

    /** What the plan says of it. For any thread. */
    PlannedClient planned() {
        return planned;
    }

    /** Its event loop. For any thread. */
    LoadLoop loop() {
        return loop;
    }

    @Nullable
    Publisher publisher() {
        return publisher;
    }

    /**
     * Connects, and subscribes where its session has not. From any thread; the future ends when it is ready, or failed.
     */
    CompletableFuture<Void> connect() {
        CompletableFuture<Void> result = new CompletableFuture<>();
        loop.eventLoop().execute(() -> {
            wanted = true;
            if (ready) {
                result.complete(null);
                return;
            }
            boolean isUnderWay = !connecting.isDone();
            dial();
            follow(result, isUnderWay);
        });
        return result;
    }

    /** Ends as the attempt does that is under way; or, if that began before it was asked for, as the next. */
    private void follow(CompletableFuture<Void> result, boolean again) {
        var _ = connecting.whenComplete((_, failure) -> {
            if (failure == null) {
                result.complete(null);
            } else if (again) {
                loop.eventLoop().execute(() -> {
                    wanted = true;
                    dial();
                    follow(result, false);
                });
            } else {
                result.completeExceptionally(failure);
            }
        });
    }

    /** Connects, subscribes, and disconnects. From any thread; the future ends then, or when one of it has failed. */
    CompletableFuture<Void> visit() {
        return connect().thenRunAsync(this::disconnect, loop.eventLoop());
    }

    /**
     * Has the broker forget its session, by a connection with Clean Start [MQTT-3.1.2-4]. Nothing else can follow. From
     * any thread; the future ends when that is done, or failed.
     */
    CompletableFuture<Void> endSession() {
        CompletableFuture<Boolean> dropped = new CompletableFuture<>();
        loop.eventLoop().execute(() -> {
            drop();
            endsSession = true;
            dropped.complete(mayHaveSession);
        });
        return dropped.thenCompose(any -> any ? visit() : CompletableFuture.completedFuture(null));
    }

    private void dial() {
        if (connection != null || !connecting.isDone()) {
            return;
        }
        connecting = new CompletableFuture<>();
        dialledNanos = System.nanoTime();
        dialer.dial(this);
        long limit = loop.plan().scenario().connect().timeout().toNanos();
        CompletableFuture<Void> attempt = connecting;
        var timeout = loop.eventLoop()
                .schedule(() -> failed(new ConnectException("not ready in time")), limit, TimeUnit.NANOSECONDS);
        var _ = attempt.whenComplete((_, _) -> timeout.cancel(false));
    }

    /** The socket is open. */
    void opened(Connection to) {
        if (connecting.isDone() || connection != null || !wanted) { // it was given up meanwhile
            to.close();
            return;
        }
        connection = to;
        boolean clean = endsSession || !planned.group().persistent();
        mayHaveSession |= !clean;
        Logins.Login login = dialer.loginOf(planned);
        to.send(new Connect(
                mqtt.protocol(),
                clean,
                (int) mqtt.keepAlive().toSeconds(),
                planned.clientId(),
                null,
                login.userName(),
                login.password(),
                new ConnectProperties(
                        clean ? 0 : ConnectProperties.NEVER_EXPIRES,
                        mqtt.receiveMaximum(),
                        ConnectProperties.LARGEST_PACKET,
                        0,
                        false,
                        true,
                        null,
                        null,
                        List.of())));
    }

    /** A packet came. */
    void received(Connection from, MqttPacket packet) {
        switch (packet) {
            case Publish message when subscriber != null -> subscriber.received(from, message);
            case Puback answer when publisher != null -> publisher.done(answer);
            case Pubrec answer when publisher != null -> publisher.received(from, answer);
            case Pubcomp answer when publisher != null -> publisher.completed(answer);
            case Pubrel release when subscriber != null -> subscriber.released(from, release.packetId());
            case Connack connack -> connected(from, connack);
            case Suback suback -> subscribed(from, suback);
            case Disconnect disconnect -> failed(new ConnectException("the broker said " + disconnect.reason()));
            default -> {
                // PINGRESP, and acknowledgements of replies.
            }
        }
    }

    private void connected(Connection from, Connack connack) {
        if (connack.reason().isError()) {
            failed(new ConnectException("the broker refused: " + connack.reason()));
            return;
        }
        hasSession = connack.sessionPresent();
        if (!hasSession) {
            subscribed = false;
            if (subscriber != null) {
                subscriber.sessionLost();
            }
        }
        if (subscriber == null || subscribed || endsSession) {
            ready(from);
        } else {
            from.send(new Subscribe(1, planned.subscriptions(), 0, List.of()));
        }
    }

    private void subscribed(Connection from, Suback suback) {
        for (ReasonCode reason : suback.reasons()) {
            if (reason.isError()) {
                failed(new ConnectException("the broker refused a subscription: " + reason));
                return;
            }
        }
        subscribed = true;
        ready(from);
    }

    private void ready(Connection now) {
        ready = true;
        established = true;
        reconnectMillis = RECONNECT_MILLIS;
        loop.count(Count.CONNECTED);
        loop.tally().record(Metric.CONNECT, System.nanoTime() - dialledNanos);
        keepAlive(now);
        connecting.complete(null);
        if (publisher != null) {
            publisher.connected(now, hasSession);
        }
    }

    private void keepAlive(Connection now) {
        if (mqtt.keepAlive().isZero()) {
            return;
        }
        var _ = loop.eventLoop()
                .schedule(
                        () -> {
                            if (connection == now) {
                                now.send(new Pingreq());
                                keepAlive(now);
                            }
                        },
                        mqtt.keepAlive().toNanos() / 2,
                        TimeUnit.NANOSECONDS);
    }

    /** There is room in the socket. */
    void writable() {
        if (publisher != null) {
            publisher.goOn();
        }
    }

    /** What it was about has failed. */
    void failed(Throwable cause) {
        if (!connecting.isDone()) {
            loop.count(Count.CONNECT_FAILED);
            connecting.completeExceptionally(cause);
            wanted &= established;
            close();
            comeBack();
        }
    }

    /** Soon, and each time that it fails later. */
    private void comeBack() {
        if (!wanted) {
            return;
        }
        long millis = reconnectMillis + loop.random().nextLong(reconnectMillis);
        reconnectMillis = Math.min(2 * reconnectMillis, MOST_RECONNECT_MILLIS);
        var _ = loop.eventLoop()
                .schedule(
                        () -> {
                            if (wanted) {
                                dial();
                            }
                        },
                        millis,
                        TimeUnit.MILLISECONDS);
    }

    /** The connection is gone. */
    void closed(Connection which) {
        if (connection != null && connection != which) {
            return; // one that was given up
        }
        failed(new ConnectException("the connection was closed"));
        if (connection != which) {
            return;
        }
        forget();
        if (wanted) {
            loop.count(Count.CONNECTION_LOST);
            comeBack();
        }
    }

    private void forget() {
        connection = null;
        ready = false;
        if (publisher != null) {
            publisher.disconnected(!wanted);
        }
        if (subscriber != null) {
            subscriber.end();
        }
    }

    /** Reads nothing from its connection, or reads on. */
    void stall(boolean stalled) {
        if (connection != null) {
            connection.read(!stalled);
        }
    }

    /** Disconnects as MQTT says. */
    void disconnect() {
        leave();
        if (ready && connection != null) {
            connection.send(new Disconnect(ReasonCode.SUCCESS, MqttPacket.ABSENT, null, null, List.of()));
        }
        close();
    }

    /** Cuts the connection. */
    void drop() {
        leave();
        close();
    }

    private void leave() {
        wanted = false;
        established = false;
        if (publisher != null) {
            publisher.disconnected(true);
        }
    }

    private void close() {
        Connection open = connection;
        if (open != null) {
            forget();
            open.close();
        }
    }

    /** Whether it is ready to publish and to get messages. */
    boolean isReady() {
        return ready;
    }

    /** Begins to publish, so many messages or until the end, and to come and go if its group does. */
    void begin(int messages) {
        Churn churn = planned.group().churn();
        if (churn != null && wandering == null) {
            wandering = new Wandering(this, churn);
        }
        if (publisher != null) {
            publisher.begin(messages);
        }
        if (subscriber != null && ready) {
            subscriber.begin();
        }
    }

    /** Publishes no more, and stays. */
    void end() {
        if (wandering != null) {
            wandering.end();
            wandering = null;
        }
        if (publisher != null) {
            publisher.end();
        }
        if (subscriber != null) {
            subscriber.end();
        }
    }

    /** Whether all that it was to publish is published and acknowledged. */
    boolean isDone() {
        return publisher == null || publisher.isDone();
    }

    /** Adds what its messages must lead to. */
    void addTo(SourceCounts counts) {
        if (publisher != null) {
            publisher.addTo(counts);
        }
    }
}
