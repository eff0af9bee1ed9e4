package io.tributary.broker.connection;

import io.tributary.broker.delivery.Delivery;
import io.tributary.broker.delivery.MemberReply;
import io.tributary.broker.security.Decision;
import io.tributary.broker.security.Permissions;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Auth;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.MqttPacket.Pingreq;
import io.tributary.common.mqtt.MqttPacket.Pingresp;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Pubcomp;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Pubrec;
import io.tributary.common.mqtt.MqttPacket.Pubrel;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.MqttPacket.Unsuback;
import io.tributary.common.mqtt.MqttPacket.Unsubscribe;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.thread.RoomQueue;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The part of a connection that exists while it is CONNECTED: its flows and its identity. Confined to the event loop.
 */
final class ConnectedState {
    private static final Pingresp PINGRESP = new Pingresp();

    /** Why packets wait for a held one. */
    private static final Set<PauseReason> HELD =
            Set.of(PauseReason.BEHIND, PauseReason.PUBLISHING, PauseReason.STORING);

    private final ConnectionContext context;
    private final Identity identity;
    private final InboundFlow inbound;
    private final OutboundFlow outbound;
    private final SubscribeFlow subscribe;
    private final RetainedReplay replay;
    private final ReAuthentication reAuthentication;
    private final KeepAlive keepAlive;
    private final @Nullable WillTopic will;

    /** What decides whether a client may publish its will; kept where the client may authenticate again. */
    private record WillTopic(String topic, QoS qos, boolean retain) {}

    /**
     * A packet that has to wait: this node is behind the others, or messages that came before the packet are not
     * matched yet.
     */
    private @Nullable MqttPacket held;

    /** Once the session has ended, and left messages behind. */
    private @Nullable TransientRedistributor redistributor;

    private Runnable stopHolding = () -> {};
    private Runnable stopRenewing = () -> {};

    /**
     * Begins with what its CONNECT was accepted for.
     *
     * @param hold counts what waits for the client; null where no publisher waits for that
     */
    ConnectedState(
            ConnectionContext context,
            ConnectionOrigin peer,
            Admission admission,
            Identity identity,
            @Nullable PublisherHold hold) {
        this.context = context;
        this.identity = identity;
        MqttPacket.ConnectProperties asked = admission.connect().properties();
        Replies replies = new Replies(context.sink(), asked.requestProblemInformation());
        inbound = new InboundFlow(context, identity, replies, this::handle);
        outbound = new OutboundFlow(context, identity, asked, replies, hold, inbound::sent);
        replay = new RetainedReplay(context, identity, outbound);
        subscribe = new SubscribeFlow(context, identity, replies, replay, this::handle);
        reAuthentication = new ReAuthentication(
                context, peer, identity, asked.authenticationMethod(), admission.end(), this::renewed);
        keepAlive = new KeepAlive(context, admission.keepAliveSeconds());
        will = asked.authenticationMethod() == null || admission.will() == null
                ? null
                : willTopic(admission.will().message());
    }

    private static WillTopic willTopic(Message message) {
        return new WillTopic(message.topic(), message.qos(), message.retain());
    }

    Identity identity() {
        return identity;
    }

    /** Shared subscriptions may choose this client from now on. */
    void open() {
        context.backend().subscriptions().online(identity.subscriber());
        if (identity.persistent() && context.backend().view().isCurrent()) {
            resumed();
        } else if (identity.persistent()) { // what it writes could be old
            stopRenewing = context.backend().untilCurrent().await(() -> context.run(this::resumed));
        }
        if (identity.permissions().areOthers()) {
            review(); // whoever looked for clients that lose something did not find this one
        }
    }

    private void resumed() {
        CompletionStage<?> _ = context.backend().subscriptions().resumed(identity.subscriber(), identity.epoch());
    }

    /** Another connection has the session. */
    void takenOver() {
        inbound.takenOver();
    }

    /**
     * Something else is known of the client than before. Completes when its subscriptions are looked at again; where
     * this node is not current, that is done later and not waited for. When it fails the connection ends: its session
     * would be judged by what was known before.
     */
    private CompletionStage<?> renewed() {
        inbound.renewed();
        review();
        stopRenewing.run();
        if (context.backend().view().isCurrent()) {
            return context.backend()
                    .subscriptions()
                    .resumed(identity.subscriber(), identity.epoch())
                    .whenComplete((_, failure) -> context.run(() -> endWhen(failure)));
        }
        stopRenewing = context.backend()
                .untilCurrent()
                .await(() -> context.run(() -> {
                    CompletionStage<?> _ = renewed();
                }));
        return CompletableFuture.completedStage(null);
    }

    private static void endWhen(@Nullable Throwable failure) {
        if (failure != null) {
            throw new MqttException(ReasonCode.UNSPECIFIED_ERROR, "the new authentication could not be stored");
        }
    }

    /**
     * Takes a packet other than DISCONNECT.
     *
     * @throws MqttException when the client may not send it, or not so
     */
    void handle(MqttPacket packet) {
        RoomQueue storing = packet instanceof Publish publish ? storing(publish) : null;
        if (needsAllThatIsKnown(packet) && !context.backend().view().isCurrent()) {
            holdUntilCurrent(packet);
        } else if (storing != null) {
            holdUntilStored(packet, storing);
        } else if (changesSubscriptions(packet) && !context.backend().router().isMatched(identity.clientId())) {
            holdUntilMatched(packet);
        } else {
            take(packet);
        }
    }

    private void take(MqttPacket packet) {
        switch (packet) {
            case Publish publish -> inbound.publish(publish);
            case Pubrel pubrel -> inbound.pubrel(pubrel);
            case Puback puback -> outbound.puback(puback);
            case Pubrec pubrec -> outbound.pubrec(pubrec);
            case Pubcomp pubcomp -> outbound.pubcomp(pubcomp);
            case Subscribe request -> subscribe.subscribe(request);
            case Unsubscribe request -> subscribe.unsubscribe(request);
            case Pingreq() -> context.sink().send(PINGRESP); // [MQTT-3.12.4-1]
            case Auth auth -> authenticate(auth);
            case Connect _ -> throw outOfPlace("a second CONNECT [MQTT-3.1.0-2]");
            case Connack _, Suback _, Unsuback _, Pingresp _, Disconnect _ -> throw outOfPlace("a packet of servers");
        }
        replay.proceed();
    }

    /** An exchange that ends with another principal has the client's subscriptions written as a SUBSCRIBE does. */
    private void authenticate(Auth packet) {
        boolean begins = packet.reason() == ReasonCode.RE_AUTHENTICATE;
        if (!begins || !subscribe.isPostponed(packet)) {
            reAuthentication.auth(packet);
        }
    }

    /**
     * Where a message that is retained, or waits behind one, is to wait before it is taken; null when nowhere. Others
     * are taken: a flood of retained messages is not to hold up those who send none.
     */
    private @Nullable RoomQueue storing(Publish packet) {
        RoomQueue congestion = context.backend().router().congestion();
        boolean wouldWait = congestion != null
                && (packet.retain() || !context.backend().router().isMatched(identity.clientId()));
        return wouldWait ? congestion : null;
    }

    /**
     * Whether everything that other nodes have acknowledged must count for the packet: a PUBLISH has to reach a
     * subscription that another node has just acknowledged.
     */
    private static boolean needsAllThatIsKnown(MqttPacket packet) {
        return packet instanceof Publish || changesSubscriptions(packet);
    }

    private static boolean changesSubscriptions(MqttPacket packet) {
        return packet instanceof Subscribe || packet instanceof Unsubscribe;
    }

    /** Holds the packet until this node is current; packets behind it wait in the socket. */
    private void holdUntilCurrent(MqttPacket packet) {
        held = packet;
        context.gate().close(PauseReason.BEHIND);
        stopHolding = context.backend().untilCurrent().await(() -> context.run(this::takeNow));
    }

    /**
     * Holds the packet until the client's earlier messages are matched: a retained message is stored before it is
     * matched, and must meet the subscriptions that there were when it came.
     */
    private void holdUntilMatched(MqttPacket packet) {
        held = packet;
        context.gate().close(PauseReason.PUBLISHING);
        context.backend().router().onMatched(identity.clientId(), () -> context.run(this::takeMatched));
    }

    /** Holds the packet while too many messages wait for retained ones to be stored. */
    private void holdUntilStored(MqttPacket packet, RoomQueue room) {
        held = packet;
        context.gate().close(PauseReason.STORING);
        stopHolding = room.await(() -> context.run(this::takeNow));
    }

    private void takeMatched() {
        if (context.backend().view().isCurrent()) {
            takeHeld(this::take);
        } else if (held != null) {
            holdUntilCurrent(held);
        }
    }

    private void takeNow() {
        takeHeld(this::handle);
    }

    private void takeHeld(Consumer<MqttPacket> taker) {
        MqttPacket packet = held;
        if (packet != null) {
            held = null;
            taker.accept(packet);
        }
        if (held == null) {
            context.gate().open(HELD);
        }
    }

    /** Whether the rules that hold may not allow all its subscriptions as they are; any thread. */
    boolean lacksRights() {
        Permissions permissions = context.services().access().authorizer().bind(identity.client());
        return !context.backend().subscriptions().areWithin(identity.subscriber(), permissions);
    }

    /** Takes subscriptions away that rules do not allow any more. */
    void review() {
        subscribe.review();
    }

    /** The client sent bytes, or is read again. */
    void touch() {
        keepAlive.touch();
    }

    /** Takes entries of the session's queue. */
    void deliver(List<Delivery> deliveries) {
        outbound.deliver(deliveries);
    }

    /**
     * Takes a message without a sequence number: one of QoS 0, or one for a transient session, which numbers it itself.
     */
    void offer(Queued message) {
        outbound.offer(message);
    }

    /** Takes a message of a shared subscription of applications. */
    void share(Queued message, boolean dup, MemberReply reply) {
        outbound.share(message, dup, reply);
    }

    /**
     * Takes a message that came when the connection was closed already: another member of a shared subscription gets
     * it.
     */
    void missed(Queued message) {
        if (message.group() != null && !identity.persistent()) {
            handOn(List.of(message));
        }
    }

    /** The PUBRECs of these messages are logged. */
    void receivedLogged(long[] sequences) {
        outbound.receivedLogged(sequences);
        replay.proceed();
    }

    /** The connection takes messages again. */
    void onWritable() {
        outbound.pump();
        replay.proceed();
    }

    /**
     * Ends the flows, and tells the shard that the connection is gone. A will that the client may not publish any more
     * as who it is now is not published: the shard knows who it was at CONNECT.
     *
     * @param logged told when the shard's log has the Detach, or never will; any thread
     */
    void close(boolean publishWill, long sessionExpirySeconds, Runnable logged) {
        keepAlive.stop();
        reAuthentication.close();
        held = null;
        stopHolding.run();
        stopRenewing.run();
        inbound.close();
        subscribe.close();
        replay.close();
        List<Queued> left = outbound.close();
        if (identity.persistent()) {
            var _ = context.backend().subscriptions().offline(identity.subscriber());
        } else {
            context.backend().subscriptions().end(identity.subscriber());
            handOn(left);
        }
        ShardEvent.Detach detach = new ShardEvent.Detach(
                identity.clientId(),
                identity.epoch(),
                publishWill && mayPublishWill(),
                sessionExpirySeconds,
                outbound.sentUpTo());
        context.backend().shards().detach(detach, logged);
    }

    /** Gives messages to other members of their shared subscriptions, in the order in which they come here. */
    private void handOn(List<Queued> left) {
        if (redistributor == null) {
            redistributor = new TransientRedistributor(context, identity);
        }
        left.forEach(redistributor::add);
    }

    private boolean mayPublishWill() {
        if (will == null) {
            return true;
        }
        Decision decision = identity.permissions().all().mayPublish(will.topic, will.qos, will.retain);
        if (!decision.allowed()) {
            context.services().recorder().notAuthorized(decision.ruleSet());
        }
        return decision.allowed();
    }

    private static MqttException outOfPlace(String what) {
        return new MqttException(ReasonCode.PROTOCOL_ERROR, "client sent " + what);
    }
}
