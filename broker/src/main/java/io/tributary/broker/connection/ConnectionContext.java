package io.tributary.broker.connection;

import io.netty.util.concurrent.ScheduledFuture;
import io.tributary.broker.loop.LoopMailbox;
import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.ReasonCode;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the parts of one session share.
 *
 * @param services what all sessions share
 * @param limits the limits of the session's listener
 * @param loop the session's event loop
 * @param sink where packets are written
 * @param gate whether packets are taken
 * @param flow how many messages are in flight towards the client in the lower half, how many were before in the upper
 *     one, which begins again at 2^31; written on the event loop, read by any thread
 * @param failures ends the session for what the client did; event loop only
 */
record ConnectionContext(
        ConnectionServices services,
        ClientLimits limits,
        LoopMailbox loop,
        PacketSink sink,
        PacketGate gate,
        AtomicLong flow,
        Consumer<MqttException> failures) {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionContext.class);

    /** The parts of the node that sessions call. */
    Backend backend() {
        return services.backend();
    }

    /** Runs the action on the event loop, at once if this is it; what it throws ends the session. Any thread. */
    void run(Runnable action) {
        loop.run(() -> guard(action));
    }

    /** Runs the action; what it throws ends the session. Event loop only. */
    void guard(Runnable action) {
        assert loop.inLoop();
        try {
            action.run();
        } catch (MqttException violation) {
            failures.accept(violation);
        } catch (RuntimeException failure) {
            LOG.error("a session failed and is closed", failure);
            failures.accept(new MqttException(ReasonCode.UNSPECIFIED_ERROR, "internal error"));
        }
    }

    /** Has the event loop run the action after a while, unless it is cancelled. */
    ScheduledFuture<?> schedule(long nanos, Runnable action) {
        return loop.loop().schedule(() -> guard(action), nanos, TimeUnit.NANOSECONDS);
    }

    /** The time of the timers, in nanoseconds of an origin of its own. */
    long nanoTime() {
        return loop.loop().ticker().nanoTime();
    }

    /** The time by which messages expire, in milliseconds. */
    long timeMillis() {
        return services.clock().millis();
    }
}
