package io.tributary.cluster.metrics;

import io.tributary.broker.metrics.BrokerMeters;
import io.tributary.broker.metrics.Meters;
import io.tributary.cluster.link.LinkRecorder;
import io.tributary.cluster.link.Refusal;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts frames and bytes on the links to other nodes, and how links end. */
final class LinkCounters implements LinkRecorder {
    private final LongAdder links = new LongAdder();
    private final LongAdder ended;
    private final LongAdder silent;
    private final LongAdder stalled;
    private final LongAdder reconnects;
    private final Map<Refusal, LongAdder> refused;
    private final LongAdder framesSent;
    private final LongAdder framesReceived;
    private final LongAdder framesRefused;
    private final LongAdder bytesSent;
    private final LongAdder bytesReceived;

    LinkCounters(Meters meters) {
        meters.gauge(BrokerMeters.LINKS, links::doubleValue);
        ended = meters.counter(BrokerMeters.LINKS_ENDED);
        silent = meters.counter(BrokerMeters.LINK_TIMEOUTS, "silent");
        stalled = meters.counter(BrokerMeters.LINK_TIMEOUTS, "stalled");
        reconnects = meters.counter(BrokerMeters.LINK_RECONNECTS);
        refused = meters.counters(BrokerMeters.LINKS_REFUSED, Refusal.class);
        framesSent = meters.counter(BrokerMeters.LINK_FRAMES, "sent");
        framesReceived = meters.counter(BrokerMeters.LINK_FRAMES, "received");
        framesRefused = meters.counter(BrokerMeters.LINK_FRAMES_REFUSED);
        bytesSent = meters.counter(BrokerMeters.LINK_BYTES, "sent");
        bytesReceived = meters.counter(BrokerMeters.LINK_BYTES, "received");
    }

    @Override
    public void up() {
        links.increment();
    }

    @Override
    public void down() {
        links.decrement();
        ended.increment();
    }

    @Override
    public void sent(int frames, long bytes) {
        framesSent.add(frames);
        bytesSent.add(bytes);
    }

    @Override
    public void received(int frames, long bytes) {
        framesReceived.add(frames);
        bytesReceived.add(bytes);
    }

    @Override
    public void sendRefused() {
        framesRefused.increment();
    }

    @Override
    public void refused(Refusal why) {
        Meters.of(refused, why).increment();
    }

    @Override
    public void reconnecting() {
        reconnects.increment();
    }

    @Override
    public void silent() {
        silent.increment();
    }

    @Override
    public void stalled() {
        stalled.increment();
    }
}
