package io.tributary.perf.client;

import io.tributary.common.codec.MqttEncoder;
import io.tributary.common.mqtt.MqttPacket.Acknowledgement;
import io.tributary.common.mqtt.MqttPacket.Pubcomp;
import io.tributary.common.mqtt.MqttPacket.Pubrel;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.perf.judge.Count;
import io.tributary.perf.judge.Metric;
import io.tributary.perf.judge.SourceCounts;
import io.tributary.perf.judge.Stamp;
import io.tributary.perf.scenario.Draw;
import io.tributary.perf.scenario.PlannedClient;
import io.tributary.perf.scenario.PublishOptions;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What a client publishes, over all of its connections: by the clock, or as fast as earlier messages are done. Confined
 * to the client's event loop.
 *
 * <p>The time in a message, from which latencies count, is when it was due. What holds it up, the broker's window or
 * the tool itself, is thereby part of its latency.
 */
final class Publisher {
    private static final long UNLIMITED = Long.MAX_VALUE;
    private static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final PlannedClient planned;
    private final PublishOptions options;
    private final LoadLoop loop;
    private final QoS qos;
    private final long lateNanos;
    private final @Nullable Schedule schedule;
    /** The same times, as far as their messages are counted as due, sent or not. */
    private final @Nullable Schedule counted;

    private final InFlight inFlight;
    private final @Nullable Prototype[] prototypes;
    private final long[] sequences;
    private final long[] expected;

    // Lives with the connection.
    private @Nullable Connection connection;
    /** Whether it has none because it is to have none: nothing is due then. */
    private boolean away = true;

    // Lives with a step in which it publishes.
    private boolean publishing;
    private long left;
    private boolean waiting;
    private boolean blocked;
    /** The messages that are counted as due and not sent. */
    private long overdue;
    /** Of these, those that are counted as blocked. */
    private long held;

    // Where deliveries open its window: those that are due to clients of this process, and those that came.
    private long dueDeliveries;
    private long deliveries;
    private long deliveriesAtProbe;
    private @Nullable Future<?> probe;

    private int nextTopic;

    Publisher(PlannedClient planned, PublishOptions options, LoadLoop loop) {
        this.planned = planned;
        this.options = options;
        this.loop = loop;
        qos = QoS.of(options.qos());
        lateNanos = loop.plan().scenario().limits().sendDelay().toNanos();
        Draw rate = options.rate();
        long seed = loop.random().nextLong();
        schedule = rate == null ? null : new Schedule(options, rate, new SplittableRandom(seed));
        counted = rate == null ? null : new Schedule(options, rate, new SplittableRandom(seed));
        if (counted != null) {
            loop.eventLoop().execute(() -> loop.watch(this));
        }
        inFlight = new InFlight(qos.isAcknowledged() ? options.mostInFlight() : 0);
        prototypes = new @Nullable Prototype[options.topics()];
        sequences = new long[options.topics()];
        expected = new long[options.topics()];
        if (isCredited()) {
            for (int topic = 0; topic < options.topics(); topic++) {
                loop.credits().register(planned.firstSource() + topic, this);
            }
        }
    }

    /** Whether deliveries open its window: nothing else does at QoS 0, and a request is over when it is answered. */
    private boolean isCredited() {
        return options.isClosedLoop() && (!qos.isAcknowledged() || options.responseTopic() != null);
    }

    /** When its next message is due. */
    long dueNanos() {
        return schedule == null ? Long.MAX_VALUE : schedule.dueNanos();
    }

    /**
     * Begins to publish.
     *
     * @param messages so many; 0 until {@link #end}
     */
    void begin(int messages) {
        left = messages == 0 ? UNLIMITED : messages;
        publishing = true;
        beginSchedule();
        if (isCredited()) {
            deliveriesAtProbe = -1;
            if (probe != null) {
                probe.cancel(false); // of a step before
            }
            probeStall();
        }
        goOn();
    }

    /** Publishes no more; what was due before counts as due all the same. */
    void end() {
        if (!publishing) {
            return;
        }
        countDue(loop.clock().nanos());
        publishing = false;
        pause();
    }

    /** Counts what is due by now, also while its connection is lost, and what of it is blocked; each message once. */
    void countDue(long now) {
        if (counted == null || !publishing || away) {
            return;
        }
        for (; overdue < left && counted.dueNanos() <= now; counted.advance()) {
            overdue++;
            loop.count(Count.DUE);
        }
        if (blocked || connection == null) {
            loop.tally().count(Count.BLOCKED, overdue - held);
            held = overdue;
        }
    }

    /** What was due and not sent is not sent any more. */
    private void beginSchedule() {
        if (schedule == null || counted == null) {
            return;
        }
        for (; overdue > 0; overdue--) {
            schedule.advance(); // both draw the same from now on, too
        }
        held = 0;
        long now = loop.clock().nanos();
        schedule.begin(now);
        counted.begin(now);
    }

    /** Whether it has sent all that it was to send, and all of it is acknowledged. */
    boolean isDone() {
        return left == 0 && inFlight.size() == 0;
    }

    /**
     * The connection is ready: what was in flight is sent again, then it goes on. Without the session, QoS 2 is not
     * sent again: it could come twice.
     */
    void connected(Connection to, boolean sessionPresent) {
        countDue(loop.clock().nanos());
        connection = to;
        away = false;
        if (qos == QoS.EXACTLY_ONCE && !sessionPresent) {
            abandon();
        }
        for (int packetId : inFlight.inOrder()) {
            resend(to, packetId);
        }
        if (publishing && !blocked) {
            beginSchedule(); // what was due while it was away is not made up for
        }
        goOn();
    }

    /** Its session has ended by its own will: what was not acknowledged is not sent again. */
    void forget() {
        abandon();
        deliveries = dueDeliveries;
        blocked = false;
    }

    private void abandon() {
        for (int packetId : inFlight.inOrder()) {
            loop.count(Count.ABANDONED);
            inFlight.remove(packetId);
        }
    }

    /**
     * The connection is gone.
     *
     * @param isWanted whether the client is to have none, and comes back when it is told to
     */
    void disconnected(boolean isWanted) {
        connection = null;
        away = isWanted;
        pause();
    }

    /** There is room in the socket, or a message is done. */
    void goOn() {
        if (!publishing || waiting) {
            return;
        }
        if (schedule == null) {
            while (publishing && canSend()) {
                long now = loop.clock().nanos();
                send(now, now);
            }
        } else if (connection != null && publishDue(loop.clock().nanos())) {
            waiting = true;
            loop.pacer().add(this);
        }
    }

    /** Publishes what is due; answers whether it is to be called again when the next is. */
    boolean publishDue(long now) {
        waiting = false;
        Schedule times = schedule;
        if (times == null || !publishing) {
            return false;
        }
        countDue(now);
        while (times.dueNanos() <= now) {
            if (!canSend()) {
                blocked = true; // goOn() comes when there is room
                return false;
            }
            send(times.dueNanos(), now);
            times.advance();
            if (!publishing) {
                return false;
            }
        }
        blocked = false;
        held = 0;
        waiting = true;
        return true;
    }

    private void pause() {
        if (waiting) {
            loop.pacer().remove(this);
            waiting = false;
        }
    }

    private boolean canSend() {
        Connection to = connection;
        if (to == null || !to.isWritable()) {
            return false;
        }
        if (qos.isAcknowledged() && inFlight.isFull()) {
            return false;
        }
        if (!isCredited()) {
            return true;
        }
        // With a window of 1 the next message goes out when the last one has come to all, or was answered.
        long fanOut = Math.max(1, loop.plan().localFanOut()[planned.firstSource() + nextTopic]);
        return dueDeliveries - deliveries + fanOut <= options.window() * fanOut;
    }

    private void send(long due, long now) {
        int topic = nextTopic;
        nextTopic = topic + 1 == options.topics() ? 0 : topic + 1;
        int source = planned.firstSource() + topic;
        long sequence = ++sequences[topic];
        int fanOut = loop.audience().of(source);
        boolean measured = loop.measures();
        int packetId = qos.isAcknowledged() ? inFlight.add(topic, sequence, due, fanOut, measured) : 0;
        if (connection != null) {
            write(connection, topic, packetId, false, stamp(topic, due, measured), Stamp.second(sequence, due));
        }
        expect(topic, fanOut, measured);
        loop.count(Count.SENT);
        if (!qos.isAcknowledged()) {
            loop.count(Count.ACKNOWLEDGED);
        }
        if (isCredited()) {
            dueDeliveries += loop.plan().localFanOut()[source];
        }
        if (schedule == null) {
            loop.count(Count.DUE);
        } else {
            overdue--;
            judgeDelay(now - due);
        }
        left--;
        publishing = left > 0;
    }

    /** So many deliveries more, or fewer. */
    private void expect(int topic, int deliveries, boolean measured) {
        expected[topic] += deliveries;
        loop.tally().count(Count.EXPECTED, deliveries);
        if (measured) {
            loop.tally().count(Count.EXPECTED_MEASURED, deliveries);
        }
    }

    private long stamp(int topic, long due, boolean measured) {
        return Stamp.first(loop.plan().run(), planned.firstSource() + topic, measured, due);
    }

    private void judgeDelay(long delayNanos) {
        if (blocked) {
            held--; // it is counted
            return;
        }
        loop.tally().record(Metric.SEND_DELAY, delayNanos);
        if (delayNanos > lateNanos) {
            loop.count(Count.SENT_LATE);
        }
    }

    /**
     * Writes a message.
     *
     * @param first of its {@link Stamp}
     */
    private void write(Connection to, int topic, int packetId, boolean dup, long first, long second) {
        prototype(to.encoder(), topic).write(to.begin(), packetId, dup, first, second);
        to.written();
    }

    private Prototype prototype(MqttEncoder encoder, int topic) {
        Prototype known = prototypes[topic];
        if (known == null) {
            int payload = (int) Math.round(options.payload().next(loop.random()));
            known = Prototype.of(
                    encoder, planned.topic(topic), qos, options.retain(), payload, planned.responseTopic());
            if (options.payload().isConstant()) {
                prototypes[topic] = known;
            }
        }
        return known;
    }

    private void resend(Connection to, int packetId) {
        if (inFlight.isReceived(packetId)) {
            release(to, packetId);
        } else {
            loop.count(Count.RESENT);
            int topic = inFlight.topic(packetId);
            long due = inFlight.dueNanos(packetId);
            long first = stamp(topic, due, inFlight.isMeasured(packetId));
            write(to, topic, packetId, true, first, Stamp.second(inFlight.sequence(packetId), due));
        }
    }

    private static void release(Connection to, int packetId) {
        to.send(new Pubrel(packetId, ReasonCode.SUCCESS, null, List.of()));
    }

    /** PUBACK, or PUBREC with a refusal: this message is done. */
    void done(Acknowledgement answer) {
        done(answer.packetId(), answer.reason().isError());
    }

    /** PUBCOMP: this message is done. A broker that does not know it any more has had it. */
    void completed(Pubcomp answer) {
        done(answer.packetId(), false);
    }

    private void done(int packetId, boolean isRefused) {
        if (!inFlight.has(packetId)) {
            return;
        }
        if (isRefused) {
            loop.count(Count.REFUSED);
            int topic = inFlight.topic(packetId);
            int fanOut = inFlight.fanOut(packetId);
            expect(topic, -fanOut, inFlight.isMeasured(packetId));
            if (isCredited()) {
                dueDeliveries -= loop.plan().localFanOut()[planned.firstSource() + topic];
            }
        } else {
            loop.count(Count.ACKNOWLEDGED);
            loop.tally().record(Metric.PUBLISH, loop.clock().nanos() - inFlight.dueNanos(packetId));
        }
        inFlight.remove(packetId);
        goOn();
    }

    /** PUBREC: the broker has it, and is told that it need not come again. */
    void received(Connection from, Acknowledgement answer) {
        if (answer.reason().isError()) {
            done(answer);
            return;
        }
        if (inFlight.has(answer.packetId())) {
            inFlight.setReceived(answer.packetId());
        }
        release(from, answer.packetId());
    }

    /** A message has come, or the answer to one. From any event loop. */
    void delivered() {
        if (loop.eventLoop().inEventLoop()) {
            deliveries = Math.min(deliveries + 1, dueDeliveries); // what was written off may come after all
            goOn();
        } else {
            loop.eventLoop().execute(this::delivered);
        }
    }

    /** What is lost shall not close the window for ever. */
    private void probeStall() {
        if (!publishing) {
            return;
        }
        if (deliveries == deliveriesAtProbe && connection != null && connection.isWritable()) {
            deliveries = dueDeliveries;
            goOn();
        }
        deliveriesAtProbe = deliveries;
        probe = loop.eventLoop().schedule(this::probeStall, STALL_NANOS, TimeUnit.NANOSECONDS);
    }

    /** Adds what must have come of each topic. */
    void addTo(SourceCounts counts) {
        for (int topic = 0; topic < expected.length; topic++) {
            counts.expect(planned.firstSource() + topic, expected[topic]);
        }
    }
}
