package io.tributary.broker.connection;

import io.netty.util.concurrent.ScheduledFuture;
import io.tributary.broker.loop.LoopMailbox;
import io.tributary.broker.security.SessionTakeover;
import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.time.LineAMinute;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Everything that the parts of one connection share.
 *
 * @param services the services that all connections share
 * @param limits the limits of the connection's listener
 * @param loop the connection's event loop
 * @param sink where packets are written
 * @param gate whether packets are taken
 * @param flow lower half: how many messages are in flight towards the client; upper half: how many were before,
 *     beginning again at 2^31; written on the event loop, read by any thread
 * @param failures ends the connection when the client broke a rule; event loop only
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
    private static final LineAMinute FAILURES = new LineAMinute(System::nanoTime);

    /** The parts of the node that connections call. */
    Backend backend() {
        return services.backend();
    }

    /** Whether clients get the sessions of other principals. */
    boolean takesAnyones() {
        return services.access().takeover() == SessionTakeover.ANYONE;
    }

    /**
     * Runs the action on the event loop, at once if the caller is on it; an exception ends the connection. Any thread.
     */
    void run(Runnable action) {
        loop.run(() -> guard(action));
    }

    /**
     * Has the event loop run the action, behind what was posted before; an exception ends the connection. Any thread.
     */
    void post(Runnable action) {
        loop.post(() -> guard(action));
    }

    /** Does a step of what may take long, {@link LoopMailbox#slowly}; an exception ends the connection. */
    void slowly(Runnable step) {
        loop.slowly(() -> guard(step));
    }

    /** Runs the action; an exception ends the connection. Event loop only. */
    void guard(Runnable action) {
        assert loop.inLoop();
        try {
            action.run();
        } catch (MqttException violation) {
            failures.accept(violation);
        } catch (RuntimeException | Error failure) { // a packet that is half taken would leave it unread for good
            sayFailed(failure);
            failures.accept(new MqttException(ReasonCode.UNSPECIFIED_ERROR, "internal error"));
        }
    }

    /** A client that finds out how to bring this about could fill the disk with traces. */
    private static void sayFailed(Throwable failure) {
        String others = FAILURES.happened();
        if (others == null) {
            LOG.debug("a connection failed and is closed", failure);
        } else {
            LOG.error("a connection failed and is closed{}", others, failure);
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
