package io.tributary.broker.connection;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.delivery.Delivery;
import io.tributary.broker.delivery.MemberReply;
import io.tributary.broker.loop.LoopMailbox;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.tenant.TenantConnection;
import io.tributary.common.event.AttachRefusal;
import io.tributary.common.event.GroupIdentifier;
import io.tributary.common.event.Principal;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Auth;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.ReasonCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection as MQTT sees it: takes the packets of one connection in order, and writes those for its client.
 *
 * <pre>
 * state             goes to         when
 * AWAITING_CONNECT  AUTHENTICATING  CONNECT came
 *                   CLOSED          anything else came, nothing came in time, or the connection is lost
 * AUTHENTICATING    ATTACHING       the client is who it says, and CONNECT is accepted as far as that goes
 *                   CLOSED          CONNECT is refused, DISCONNECT came, or the connection is lost
 * ATTACHING         CONNECTED       the shard answered: the session is attached
 *                   CLOSED          it did not in time, or the connection is lost; Detach follows when it does answer
 * CONNECTED         CLOSED          DISCONNECT came or went, or the connection is lost; Detach follows at once
 * </pre>
 *
 * <p>Confined to the connection's event loop; other threads go through its {@link Inbox}. While {@link #mayRead} is
 * false no packet may be given to it.
 */
public final class ClientConnection {

    private enum State {
        AWAITING_CONNECT,
        AUTHENTICATING,
        ATTACHING,
        CONNECTED,
        CLOSED
    }

    private static final long LONGEST_READING_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    /** The same, for a client that is connected to another node now: the shard's owner waits hardly longer. */
    private static final long LONGEST_LAST_READING_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final ClientConnections connections;
    private final ConnectionContext context;
    private final ConnectionOrigin peer;
    private final ConnectionEvents events;
    private final ConnectHandshake handshake;
    private final @Nullable PublisherHold hold;
    private final Inbox inbox;
    private final ReadOut readOut;
    private final Deadline deadline;
    private final long number;

    /** Set when the Attach is appended; before then no other thread knows this connection's session. */
    private volatile @Nullable Attaching attaching;

    private State state = State.AWAITING_CONNECT;
    private boolean mqtt5;
    private String clientId = "";
    private Principal principal = Principal.ANONYMOUS;
    /** What the client asked for; the listener may allow less. */
    private long wantedExpirySeconds;

    private long sessionExpirySeconds;
    private @Nullable TenantConnection quota;

    /** The accepted CONNECT, only while the session is being attached: it may have secrets in it. */
    private @Nullable Admission admission;

    /** Set once, on the event loop, before other threads can find this connection. */
    private volatile @Nullable ConnectedState connected;

    /** Actions that wait until this connection has asked for the session, or has ended without asking. */
    private final List<Runnable> onAsked = new ArrayList<>(0);

    /** Whether everything is read that the client had sent before its next connection asked for the session. */
    private boolean isReadOut;

    /** Whether the session belongs to another connection now. */
    private boolean isTakenOver;

    /**
     * Creates a connection that waits for CONNECT.
     *
     * @param services the services that all connections share
     * @param connections where this connection is found once it asks for its session
     * @param limits the limits of the listener
     * @param peer the other side
     * @param loop the mailbox of the connection's event loop
     * @param sink where packets are written
     */
    public ClientConnection(
            ConnectionServices services,
            ClientConnections connections,
            ClientLimits limits,
            ConnectionOrigin peer,
            LoopMailbox loop,
            PacketSink sink) {
        PacketGate gate = new PacketGate(services.recorder(), sink::resumeReading);
        this.connections = connections;
        this.peer = peer;
        context = new ConnectionContext(services, limits, loop, sink, gate, new AtomicLong(), this::fail);
        events = new ConnectionEvents(services);
        handshake = new ConnectHandshake(context, peer, this::admitted);
        hold = PublisherHold.of(context, () -> GroupIdentifier.display(clientId));
        inbox = new Inbox(this, context, hold);
        deadline = new Deadline(context);
        readOut = new ReadOut(context, () -> state == State.CONNECTED);
        number = connections.nextConnection();
    }

    /** Begins to wait for CONNECT, which must come in time. */
    public void open() {
        deadline.expect(context.limits().connect().connectTimeout());
    }

    /** Whether this connection takes a packet now; {@link PacketSink#resumeReading} follows when it does again. */
    public boolean mayRead() {
        return context.gate().isOpen() && state != State.CLOSED;
    }

    /** Whether the client has its session: what it has sent is to be taken, even if it sends no more. */
    public boolean isConnected() {
        return state == State.CONNECTED;
    }

    /** Whether the broker takes no packets, and the client's own pace is not the reason. */
    public boolean isHeldByBroker() {
        return context.gate().isHeldByBroker();
    }

    /** Whether the packet that was handled last is kept in memory until it can be taken. */
    public boolean holdsPacket() {
        return state == State.CONNECTED && context.gate().holdsPacket();
    }

    /** Takes the client's next packet. */
    public void handle(MqttPacket packet) {
        context.guard(() -> dispatch(packet));
    }

    /** A read brought bytes; counts for keep alive. */
    public void touch() {
        readOut.touch();
        if (connected != null) {
            connected.touch();
        }
    }

    /** The client was not read, and is from now on: it could not show that it is there. */
    public void readAgain() {
        if (connected != null) {
            connected.touch();
        }
    }

    /** The connection takes messages again. */
    public void onWritable() {
        ConnectedState live = connected;
        if (live != null && state == State.CONNECTED) {
            context.guard(live::onWritable);
        }
    }

    /**
     * The client sent bytes that are no packet, or a packet that is not allowed.
     *
     * @param refusal the CONNACK to answer with when no CONNECT was accepted yet, or null for no answer
     */
    public void undecodable(MqttException violation, @Nullable Connack refusal) {
        if (state == State.AWAITING_CONNECT) {
            handshake.refused(violation);
            end(violation.reason(), true, refusal);
        } else {
            fail(violation);
        }
    }

    /** The connection is lost, or was closed by the client without DISCONNECT. */
    public void connectionLost() {
        end(ReasonCode.UNSPECIFIED_ERROR, true, null); // [MQTT-3.1.2-8]
    }

    /** The node sends its clients away. */
    public void sendAway(Farewell how) {
        MqttException why = new MqttException(how.reason(), how.words());
        if (state == State.CONNECTED && mqtt5) {
            end(how.reason(), true, Refusals.disconnect(how));
        } else if (state == State.AUTHENTICATING || state == State.ATTACHING) {
            refuse(why, how.serverReference());
        } else {
            fail(why);
        }
    }

    /** Ends this connection if the client is one of those; event loop. */
    void expel(Predicate<ClientInfo> which, ReasonCode reason) {
        ClientInfo client = admission == null ? client() : admission.client();
        if (client != null && state != State.CLOSED && which.test(client)) {
            context.services().access().revocations().expelled(client);
            fail(new MqttException(reason, "the client may not be connected any more"));
        }
    }

    /** Has subscriptions taken away that the client may not have by the rules that hold; any thread. */
    void lookAgain() {
        ConnectedState live = connected;
        if (live != null && live.lacksRights()) {
            review();
        }
    }

    /** The same, where it is known that there are some; any thread. */
    void review() {
        inbox.post(() -> {
            if (connected != null && state == State.CONNECTED) {
                connected.review();
            }
        });
    }

    /** The client, null while it has no session; any thread. */
    @Nullable
    ClientInfo client() {
        ConnectedState live = connected;
        return live == null ? null : live.identity().client();
    }

    /** The epoch of this connection, 0 while it has no session; any thread. */
    long epoch() {
        ConnectedState live = connected;
        return live == null ? 0 : live.identity().epoch();
    }

    /** Whether this connection has, or had, the session with the given identity; any thread. */
    boolean has(long session) {
        ConnectedState live = connected;
        return live != null && live.identity().attached().session() == session;
    }

    /** The way of other threads into this connection. */
    Inbox inbox() {
        return inbox;
    }

    /**
     * Takes a message without a sequence number: one of QoS 0, or one for a transient session, which numbers it itself.
     */
    void offer(Queued message) {
        if (connected != null && state == State.CONNECTED) {
            connected.offer(message);
        } else if (connected != null) {
            connected.missed(message);
        }
    }

    /** Takes a message of a shared subscription of applications. */
    void share(Queued message, boolean dup, MemberReply reply) {
        if (connected != null && state == State.CONNECTED) {
            connected.share(message, dup, reply);
        } else {
            reply.returned(false);
        }
    }

    /** The shard answered: this connection has the session. A new owner of the shard says so once more. */
    void attached(Attached attached) {
        if (state == State.ATTACHING && admission != null) {
            connect(admission, attached);
        } else if (state == State.CLOSED && connected == null) {
            connections.attached(number, attached); // the connection ended meanwhile
        } else if (connected == null) {
            throw new IllegalStateException("attached in state " + state);
        }
    }

    /** The shard answered: this connection does not get the session of the client identifier. */
    void refused(AttachRefusal reason) {
        events.noSession(reason, quota);
        fail(Refusals.noSession(reason));
        forget();
    }

    /**
     * Another connection has the session now [MQTT-3.1.4-3]. If that connection is at another node, it does not know
     * what the client has sent here before; the owner waits a moment for this connection's Detach, which says so.
     */
    void takenOver() {
        if (state != State.CONNECTED || isReadOut) {
            endTakenOver();
        } else if (!isTakenOver) {
            isTakenOver = true;
            if (connected != null) {
                connected.takenOver();
            }
            readOut.await(LONGEST_LAST_READING_NANOS, this::endTakenOver);
        }
    }

    private void endTakenOver() {
        if (state == State.CONNECTED) {
            fail(new MqttException(ReasonCode.SESSION_TAKEN_OVER, "another connection uses the client identifier"));
        } else {
            end(ReasonCode.SESSION_TAKEN_OVER, true, null);
            forget();
        }
    }

    /** Whether the log is known to have the Attach, no later than at the offset; any thread. */
    boolean isAttachedUpTo(long offset) {
        Attaching asked = attaching;
        return asked != null && asked.isAppendedUpTo(offset);
    }

    /**
     * The client's identifier inside the broker, once CONNECT is accepted; any thread that has found this connection by
     * its number.
     */
    String clientId() {
        return clientId;
    }

    /** Who the client is, once CONNECT is accepted; any thread that has found this connection by its number. */
    Principal principal() {
        return principal;
    }

    /** Takes entries of the session's queue. */
    void deliver(List<Delivery> deliveries) {
        if (connected != null && state == State.CONNECTED && !isTakenOver) {
            connected.deliver(deliveries);
        }
    }

    /** The PUBRECs of these messages are logged. */
    void receivedLogged(long[] sequences) {
        if (connected != null && state == State.CONNECTED) {
            connected.receivedLogged(sequences);
        }
    }

    private void dispatch(MqttPacket packet) {
        switch (state) {
            case AWAITING_CONNECT -> awaitConnect(packet);
            case AUTHENTICATING -> authenticate(packet);
            case ATTACHING -> throw new IllegalStateException("a packet while the session is being attached");
            case CONNECTED -> converse(packet);
            case CLOSED -> {} // nothing is processed any more [MQTT-3.1.4-6, MQTT-3.14.4-1]
        }
    }

    private void awaitConnect(MqttPacket packet) {
        switch (packet) {
            case Connect connect -> {
                mqtt5 = connect.version().isMqtt5();
                context.sink().use(connect.version(), connect.properties().maximumPacketSize());
                enter(State.AUTHENTICATING);
                context.gate().close(PauseReason.HANDSHAKE);
                handshake.begin(connect);
            }
            default ->
                throw new MqttException(ReasonCode.PROTOCOL_ERROR, "the first packet is no CONNECT [MQTT-3.1.0-1]");
        }
    }

    private void authenticate(MqttPacket packet) {
        switch (packet) {
            case Auth auth -> handshake.auth(auth);
            case Disconnect _ -> end(ReasonCode.SUCCESS, false, null);
            default ->
                throw new MqttException( // [MQTT-3.1.2-30]
                        ReasonCode.PROTOCOL_ERROR, "another packet than AUTH or DISCONNECT before CONNACK");
        }
    }

    private void converse(MqttPacket packet) {
        if (packet instanceof Disconnect disconnect) {
            disconnected(disconnect);
        } else if (connected != null) {
            connected.handle(packet);
        }
    }

    private void admitted(Admission accepted) {
        if (state != State.AUTHENTICATING) {
            return;
        }
        Connacks.checkSize(accepted, context.limits()); // [MQTT-3.2.0-1]
        enter(State.ATTACHING);
        context.sink().known();
        admission = accepted;
        clientId = accepted.client().idInside();
        principal = Objects.requireNonNull(accepted.client().principal());
        wantedExpirySeconds = accepted.connect().properties().sessionExpirySeconds();
        sessionExpirySeconds = accepted.sessionExpirySeconds();
        quota = principal.tenant() == null ? null : context.services().tenants().enter(principal.tenant());
        context.gate().close(PauseReason.HANDSHAKE);
        deadline.expectAnswer(context.limits().connect().attachTimeout(), handshake::checkWritable);
        ClientConnection before = connections.add(number, this, context.takesAnyones());
        if (before == null) {
            ask(accepted);
        } else {
            before.finishReading(() -> context.run(() -> ask(accepted)));
        }
    }

    /** Asks the shard for the session; until then other nodes know nothing of this connection. */
    private void ask(Admission accepted) {
        if (state != State.ATTACHING) {
            return; // ended meanwhile
        }
        Attaching asked =
                new Attaching(clientId, context.loop(), context.backend().shards());
        attaching = asked;
        // The shard keeps nothing of this connection.
        context.backend().shards().attach(accepted.attach(context, number, quota), asked::appended);
        runOnAsked();
    }

    private void runOnAsked() {
        List<Runnable> actions = List.copyOf(onAsked);
        onAsked.clear();
        actions.forEach(Runnable::run);
    }

    /**
     * The client has another connection, which is to ask for the session: what it has sent on this one before, a
     * DISCONNECT above all, counts before that [MQTT-3.14.4-3]. Any thread.
     *
     * @param then run once, when no more bytes come, or when bytes came for too long
     */
    private void finishReading(Runnable then) {
        inbox.post(() -> {
            if (state == State.ATTACHING && attaching == null) {
                onAsked.add(then);
            } else if (state == State.CONNECTED) {
                readOut.await(LONGEST_READING_NANOS, () -> {
                    isReadOut = true;
                    then.run();
                });
            } else {
                then.run();
            }
        });
    }

    private void connect(Admission accepted, Attached attached) {
        enter(State.CONNECTED);
        if (attaching != null) {
            attaching.appended(attached.epoch()); // now it is known in any case
        }
        context.backend().shards().attachAnswered(clientId);
        deadline.cancel();
        admission = null;
        boolean present = attached.sessionPresent(); // [MQTT-3.2.2-2, MQTT-3.2.2-3]
        boolean persistent = sessionExpirySeconds > 0 || present;
        Identity identity = new Identity(clientId, accepted.permissions(), number, attached, persistent, quota);
        ConnectedState live = new ConnectedState(context, peer, accepted, identity, hold);
        connected = live;
        connections.attached(this);
        context.sink().send(Connacks.accepted(accepted, present, context.limits())); // first of all [MQTT-3.2.0-1]
        if (persistent) {
            connections.addPersistent(this); // found for messages of QoS 0
        }
        live.open();
        events.connected(accepted.client(), present);
        handshake.connected();
        context.gate().open(PauseReason.HANDSHAKE);
    }

    private void disconnected(Disconnect packet) {
        Ending how = Ending.by(
                packet,
                wantedExpirySeconds,
                sessionExpirySeconds,
                context.limits().connect().maxSessionExpirySeconds());
        ConnectedState live = connected;
        if (live == null) {
            throw new IllegalStateException("connected without a session");
        }
        close();
        // Once the client sees the connection closed it may connect to another node, whose Attach must not be the
        // earlier one.
        deadline.set(
                context.limits().connect().attachTimeout(), () -> context.sink().close(null));
        Runnable closeSocket = () -> {
            deadline.cancel();
            context.sink().close(null);
        };
        leave(live, how, () -> context.run(closeSocket));
    }

    /** Ends the connection for a reason that the client is told, if its version of MQTT has a packet for that. */
    private void fail(MqttException violation) {
        switch (state) {
            case AWAITING_CONNECT -> end(violation.reason(), true, null); // [MQTT-3.1.0-1]
            case AUTHENTICATING, ATTACHING -> refuse(violation, peer.serverReference());
            case CONNECTED -> end(violation.reason(), true, mqtt5 ? Refusals.disconnect(violation) : null);
            case CLOSED -> {}
        }
    }

    private void refuse(MqttException why, @Nullable String serverReference) {
        handshake.refused(why);
        end(why.reason(), false, Refusals.connack(why, serverReference));
    }

    private void end(ReasonCode reason, boolean publishWill, @Nullable MqttPacket last) {
        end(new Ending(reason, publishWill, sessionExpirySeconds), last);
    }

    private void end(Ending how, @Nullable MqttPacket last) {
        State before = state;
        if (before == State.CLOSED) {
            return;
        }
        close();
        context.sink().close(last);
        if (before == State.CONNECTED && connected != null) {
            leave(connected, how, () -> {});
        } else if (before == State.ATTACHING && attaching != null) {
            attaching.ended(how.publishWill(), how.sessionExpirySeconds());
            connections.endBeforeAttached(number, this, attaching);
        }
    }

    private void close() {
        assert context.loop().inLoop();
        enter(State.CLOSED);
        admission = null;
        deadline.cancel();
        handshake.close();
        if (quota != null) {
            quota.close();
        }
        if (hold != null) {
            hold.close();
        }
        if (attaching == null && !clientId.isEmpty()) {
            forget();
            runOnAsked();
        }
    }

    private void leave(ConnectedState live, Ending how, Runnable logged) {
        live.close(how.publishWill(), how.sessionExpirySeconds(), logged);
        forget();
        events.disconnected(live.identity().permissions().accepted(), how.reason());
    }

    private void forget() {
        connections.remove(number, this);
    }

    private void enter(State next) {
        boolean legal = switch (next) {
            case AWAITING_CONNECT -> false;
            case AUTHENTICATING -> state == State.AWAITING_CONNECT;
            case ATTACHING -> state == State.AUTHENTICATING;
            case CONNECTED -> state == State.ATTACHING;
            case CLOSED -> state != State.CLOSED;
        };
        if (!legal) {
            throw new IllegalStateException("from " + state + " to " + next);
        }
        state = next;
    }
}
