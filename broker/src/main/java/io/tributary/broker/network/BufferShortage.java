package io.tributary.broker.network;

import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import io.tributary.common.time.LineAMinute;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections that are closed because the process has no memory left for the buffers of sockets: they are counted, and
 * the log says so once a minute. The JVM does not end for want of this memory, as it does for want of heap. Any thread.
 */
final class BufferShortage {
    private static final Logger LOG = LoggerFactory.getLogger(BufferShortage.class);
    private static final LineAMinute LINES = new LineAMinute(System::nanoTime);

    /** Set at a connection that was counted: with TLS it may be open for a while yet, and meet the same once more. */
    private static final AttributeKey<Boolean> COUNTED = AttributeKey.valueOf(BufferShortage.class, "counted");

    private BufferShortage() {}

    /** A connection that is open is about to be closed; does nothing where the failure is another one. */
    static void closes(Channel channel, Throwable failure, NetworkRecorder recorder) {
        if (!channel.isOpen() || !(isOne(failure) || isOne(failure.getCause()))) {
            return;
        }
        if (channel.attr(COUNTED).getAndSet(true) != null) {
            return;
        }
        recorder.withoutMemory();
        String others = LINES.happened();
        if (others != null) {
            LOG.warn(
                    "no memory for the buffers of sockets, connections are closed: a larger -XX:MaxDirectMemorySize, or fewer"
                            + " clients on this node{}",
                    others,
                    failure);
        }
    }

    /** Whether it is the JDK's, or Netty's own, which is one, too. */
    private static boolean isOne(@Nullable Throwable failure) {
        return failure instanceof OutOfMemoryError;
    }
}
