package io.tributary.broker.metrics;

import io.tributary.broker.connection.ConnectionRecorder;
import io.tributary.broker.routing.RouterRecorder;
import io.tributary.broker.session.DropReason;
import io.tributary.broker.session.PauseReason;
import io.tributary.broker.session.SessionRecorder;
import io.tributary.broker.shard.ApplicationLag;
import io.tributary.broker.shard.ShardRecorder;
import io.tributary.common.event.ClientKind;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.ReasonCode;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/**
 * What has come and gone since the node started, in plain numbers, for {@code $SYS}. It listens in on the recorders: each of
 * its methods wraps one, which still gets everything. Thread-safe.
 */
public final class Totals {
    private final LongAdder connectionsOpened = new LongAdder();
    private final LongAdder packetsReceived = new LongAdder();
    private final LongAdder packetsSent = new LongAdder();
    private final LongAdder bytesReceived = new LongAdder();
    private final LongAdder bytesSent = new LongAdder();
    private final LongAdder publishesReceived = new LongAdder();
    private final LongAdder publishesSent = new LongAdder();
    private final LongAdder publishesDropped = new LongAdder();
    private final AtomicLong clients = new AtomicLong();
    private final LongAdder applications = new LongAdder();
    private final LongAccumulator clientsMaximum = new LongAccumulator(Math::max, 0);

    /**
     * The figures at one time.
     *
     * @param connectionsOpened connections that were opened
     * @param packetsReceived MQTT packets that came in
     * @param packetsSent MQTT packets that went out
     * @param bytesReceived the bytes of the packets that came in
     * @param bytesSent the bytes of the packets that went out
     * @param publishesReceived messages that came in
     * @param publishesSent copies of messages that were handed on to receivers
     * @param publishesDropped messages, or copies of them, that went nowhere
     * @param clientsMaximum the most clients that were connected at once
     * @param applications applications that are connected
     */
    public record Stats(
            long connectionsOpened,
            long packetsReceived,
            long packetsSent,
            long bytesReceived,
            long bytesSent,
            long publishesReceived,
            long publishesSent,
            long publishesDropped,
            long clientsMaximum,
            long applications) {}

    /** The figures now; each is right, but they are not read at the same instant. */
    public Stats stats() {
        return new Stats(
                connectionsOpened.sum(),
                packetsReceived.sum(),
                packetsSent.sum(),
                bytesReceived.sum(),
                bytesSent.sum(),
                publishesReceived.sum(),
                publishesSent.sum(),
                publishesDropped.sum(),
                clientsMaximum.get(),
                applications.sum());
    }

    /** Listens in on connections. */
    public ConnectionRecorder listenIn(ConnectionRecorder next) {
        return new Connections(next);
    }

    /** Listens in on sessions. */
    public SessionRecorder listenIn(SessionRecorder next) {
        return new Sessions(next);
    }

    /** Listens in on the router. */
    public RouterRecorder listenIn(RouterRecorder next) {
        return new Routing(next);
    }

    /** Listens in on the shards. */
    public ShardRecorder listenIn(ShardRecorder next) {
        return new Queues(next);
    }

    private final class Connections implements ConnectionRecorder {
        private final ConnectionRecorder next;

        Connections(ConnectionRecorder next) {
            this.next = next;
        }

        @Override
        public void opened(String listener) {
            connectionsOpened.increment();
            next.opened(listener);
        }

        @Override
        public void closed(String listener) {
            next.closed(listener);
        }

        @Override
        public void rejected(String listener) {
            next.rejected(listener);
        }

        @Override
        public void received(int packets, int bytes) {
            packetsReceived.add(packets);
            bytesReceived.add(bytes);
            next.received(packets, bytes);
        }

        @Override
        public void sent(int packets, int bytes) {
            packetsSent.add(packets);
            bytesSent.add(bytes);
            next.sent(packets, bytes);
        }

        @Override
        public void stalled() {
            next.stalled();
        }
    }

    private final class Sessions implements SessionRecorder {
        private final SessionRecorder next;

        Sessions(SessionRecorder next) {
            this.next = next;
        }

        @Override
        public void connected(ClientKind kind, boolean sessionPresent) {
            clientsMaximum.accumulate(clients.incrementAndGet());
            applications.add(kind.isApplication() ? 1 : 0);
            next.connected(kind, sessionPresent);
        }

        @Override
        public void refused(ReasonCode reason) {
            next.refused(reason);
        }

        @Override
        public void disconnected(ClientKind kind, ReasonCode reason) {
            clients.decrementAndGet();
            applications.add(kind.isApplication() ? -1 : 0);
            next.disconnected(kind, reason);
        }

        @Override
        public void dropped(DropReason reason) {
            publishesDropped.increment();
            next.dropped(reason);
        }

        @Override
        public void inFlightChanged(int difference) {
            next.inFlightChanged(difference);
        }

        @Override
        public void keepAliveTimeout() {
            next.keepAliveTimeout();
        }

        @Override
        public void readingPaused(PauseReason reason) {
            next.readingPaused(reason);
        }
    }

    private final class Routing implements RouterRecorder {
        private final RouterRecorder next;

        Routing(RouterRecorder next) {
            this.next = next;
        }

        @Override
        public void received(Message message) {
            publishesReceived.increment();
            next.received(message);
        }

        @Override
        public void delivered(int receivers) {
            publishesSent.add(receivers);
            next.delivered(receivers);
        }

        @Override
        public void dropped(Drop reason) {
            publishesDropped.increment();
            next.dropped(reason);
        }
    }

    private final class Queues implements ShardRecorder {
        private final ShardRecorder next;

        Queues(ShardRecorder next) {
            this.next = next;
        }

        @Override
        public void lag(String clientId, ApplicationLag lag) {
            next.lag(clientId, lag);
        }

        @Override
        public void lagUnknown(String clientId) {
            next.lagUnknown(clientId);
        }

        @Override
        public void dropped(ShardRecorder.DropReason reason) {
            publishesDropped.increment();
            next.dropped(reason);
        }

        @Override
        public void saved(int queuedEntries) {
            next.saved(queuedEntries);
        }

        @Override
        public void storeFailed() {
            next.storeFailed();
        }

        @Override
        public void folded(int records) {
            next.folded(records);
        }

        @Override
        public void restored(int shard) {
            next.restored(shard);
        }

        @Override
        public void logWentBack(int shard) {
            next.logWentBack(shard);
        }

        @Override
        public void recordsLost(long records) {
            next.recordsLost(records);
        }

        @Override
        public void topicRecordsLost(long records) {
            next.topicRecordsLost(records);
        }

        @Override
        public void topicMadeAnew() {
            next.topicMadeAnew();
        }

        @Override
        public void live(int shard, int sessions) {
            next.live(shard, sessions);
        }
    }
}
