package io.tributary.perf.client;

import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Pubcomp;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Pubrec;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.perf.judge.Count;
import io.tributary.perf.judge.Metric;
import io.tributary.perf.judge.Receiver;
import io.tributary.perf.judge.Stamp;
import io.tributary.perf.scenario.PlannedClient;
import io.tributary.perf.scenario.PublishOptions;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a client gets, over all of its connections: judged, measured, acknowledged. Confined to the client's event loop.
 */
final class Subscriber {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    /** In place of an age, before the first message. */
    private static final long NONE = Long.MIN_VALUE;

    private static final int MAX_PACKET_ID = 65_535;

    private final LoadLoop loop;
    private final Receiver judge;
    private final boolean replies;
    private final boolean isAside;
    private final boolean measuresJitter;
    private final int firstOwnSource;
    private final int ownSources;
    /** The messages of QoS 2 for which PUBREL has not come; they live with the session. */
    private final IntObjectMap<Boolean> unreleased = new IntObjectHashMap<>(4);

    private final @Nullable Silence silence;
    private int lastReplyId;
    private long lastAgeNanos = NONE;

    Subscriber(PlannedClient planned, LoadLoop loop, Receiver judge) {
        this.loop = loop;
        this.judge = judge;
        replies = planned.group().reply();
        isAside = planned.group().aside();
        measuresJitter = planned.group().jitter();
        firstOwnSource = planned.firstSource();
        silence = planned.group().silence() ? new Silence() : null;
        if (silence != null) {
            loop.eventLoop().execute(() -> loop.watch(silence));
        }
        PublishOptions publish = planned.group().publish();
        ownSources = publish == null || publish.responseTopic() == null ? 0 : publish.topics();
    }

    /** A message came. */
    void received(Connection from, Publish message) {
        switch (message.qos()) {
            case AT_MOST_ONCE -> judge(from, message);
            case AT_LEAST_ONCE -> {
                judge(from, message);
                from.send(new Puback(message.packetId(), ReasonCode.SUCCESS, null, List.of()));
            }
            case EXACTLY_ONCE -> {
                if (unreleased.put(message.packetId(), Boolean.TRUE) == null) {
                    judge(from, message);
                }
                from.send(new Pubrec(message.packetId(), ReasonCode.SUCCESS, null, List.of()));
            }
        }
    }

    /** Others begin to publish; it is connected. */
    void begin() {
        if (silence != null) {
            silence.begin(loop.clock().nanos());
        }
    }

    /** Others publish no more, or its connection is gone. */
    void end() {
        if (silence != null) {
            silence.end();
        }
    }

    /** PUBREL: this identifier may be used for another message. */
    void released(Connection from, int packetId) {
        unreleased.remove(packetId);
        from.send(new Pubcomp(packetId, ReasonCode.SUCCESS, null, List.of()));
    }

    /** The session is a new one. */
    void sessionLost() {
        unreleased.clear();
    }

    private void judge(Connection from, Publish message) {
        byte[] payload = message.payload();
        if (payload.length < Stamp.BYTES) {
            loop.count(Count.FOREIGN);
            return;
        }
        long first = (long) LONG.get(payload, 0);
        long second = (long) LONG.get(payload, Stamp.BYTES / 2);
        int source = Stamp.source(first);
        if (Stamp.run(first) != loop.plan().run() || source >= loop.plan().sources()) {
            loop.count(Count.FOREIGN);
            return;
        }
        long now = loop.clock().nanos();
        long age = Stamp.ageNanos(first, second, now);
        if (age < 0) {
            loop.count(Count.EARLY);
        }
        Metric metric = metric(source);
        loop.tally().record(metric, age);
        if (measuresJitter && metric != Metric.ROUND_TRIP) {
            recordJitter(age);
        }
        loop.tally().received(now, payload.length);
        if (silence != null) {
            silence.received(now);
        }
        boolean isFirst = judge.onMessage(source, Stamp.sequence(second), message.dup(), loop.tally());
        if (isFirst && Stamp.isMeasured(first)) {
            loop.count(Count.FIRST_MEASURED);
        }
        loop.credits().delivered(source);
        String answerTo = message.properties().responseTopic();
        if (replies && answerTo != null) {
            reply(from, message, answerTo);
        }
    }

    private Metric metric(int source) {
        if (source >= firstOwnSource && source < firstOwnSource + ownSources) {
            return Metric.ROUND_TRIP;
        }
        return isAside || loop.plan().isAside(source) ? Metric.ASIDE : Metric.END_TO_END;
    }

    private void recordJitter(long ageNanos) {
        if (lastAgeNanos != NONE) {
            loop.tally().record(Metric.JITTER, Math.abs(ageNanos - lastAgeNanos));
        }
        lastAgeNanos = ageNanos;
    }

    /** Sends the payload back; how it is acknowledged nobody asks. */
    private void reply(Connection to, Publish request, String topic) {
        QoS qos = request.qos().min(QoS.AT_LEAST_ONCE);
        lastReplyId = lastReplyId % MAX_PACKET_ID + 1;
        PublishProperties properties =
                new PublishProperties(null, null, null, request.properties().correlationData(), List.of());
        to.send(new Publish(
                topic,
                request.payload(),
                qos,
                false,
                false,
                qos.isAcknowledged() ? lastReplyId : 0,
                0,
                MqttPacket.ABSENT,
                properties,
                List.of()));
    }
}
