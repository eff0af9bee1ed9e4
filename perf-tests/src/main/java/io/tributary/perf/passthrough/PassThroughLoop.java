package io.tributary.perf.passthrough;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One event loop: whom something was written to in this turn, and what is to go to clients of other loops. */
final class PassThroughLoop {
    private final EventLoop loop;
    private final List<PassThroughClient> written = new ArrayList<>();
    private Map<PassThroughLoop, List<Forward>> others = new LinkedHashMap<>();

    /** A message for a client of another loop. */
    private record Forward(PassThroughClient to, ByteBuf topic, int qos, ByteBuf rest) {}

    PassThroughLoop(EventLoop loop) {
        this.loop = loop;
    }

    /** Something is in the client's buffer, and nothing was before. */
    void wrote(PassThroughClient client) {
        written.add(client);
    }

    /** Hands a message to a client of any loop; the buffers stay the caller's. */
    void forward(PassThroughClient to, ByteBuf topic, int qos, ByteBuf rest) {
        if (to.loop() == this) {
            to.publish(topic, qos, rest);
        } else {
            others.computeIfAbsent(to.loop(), _ -> new ArrayList<>())
                    .add(new Forward(to, topic.retainedSlice(), qos, rest.retainedSlice()));
        }
    }

    /** The turn is over. */
    void flush() {
        if (!others.isEmpty()) {
            others.forEach((other, forwards) -> other.loop.execute(() -> other.take(forwards)));
            others = new LinkedHashMap<>();
        }
        written.forEach(PassThroughClient::flush);
        written.clear();
    }

    private void take(List<Forward> forwards) {
        for (Forward each : forwards) {
            each.to.publish(each.topic, each.qos, each.rest);
            each.topic.release();
            each.rest.release();
        }
        flush();
    }
}
