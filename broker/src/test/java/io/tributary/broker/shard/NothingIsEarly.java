package io.tributary.broker.shard;

import io.tributary.common.event.EventCodec;
import io.tributary.common.event.ShardEvent.Attach;
import io.tributary.common.event.ShardEvent.Detach;
import io.tributary.common.event.ShardEvent.SessionExpired;
import io.tributary.common.event.ShardEvent.WillDue;
import io.tributary.persistence.shard.LogRecord;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * P4: no owner even tries to end a session or to publish a will before its time, wherever the clock of its machine is.
 * That no message expires early is for {@link NothingAcknowledgedIsLost}, for some are to live longer than a history.
 */
final class NothingIsEarly implements Ledger.Promise {

    /** The latest connection of a client. */
    private record Latest(long epoch, Attach attach) {}

    /** A client that is offline, since its latest connection ended. */
    private record Offline(long epoch, long sinceMillis, long willDelaySeconds, long expirySeconds) {

        void check(LogRecord record, long epochOfRecord, long afterSeconds) {
            if (epoch == epochOfRecord && record.timeMillis() < sinceMillis + afterSeconds * 1000) {
                throw new Violation(EventCodec.decode(record.value()) + " comes " + (record.timeMillis() - sinceMillis)
                        + " ms after the connection ended");
            }
        }
    }

    @Override
    public void settled(SimWorld world) {
        for (int shard = 0; shard < world.log.shards(); shard++) {
            check(world.log.records(shard));
        }
    }

    private static void check(List<LogRecord> records) {
        Map<String, Latest> attached = new HashMap<>();
        Map<String, Offline> offline = new HashMap<>();
        for (LogRecord record : records) {
            switch (EventCodec.decode(record.value())) {
                case Attach attach when SimStranger.is(attach) -> {}
                case Attach attach -> {
                    attached.put(attach.clientId(), new Latest(record.offset(), attach));
                    offline.remove(attach.clientId());
                }
                case Detach detach -> {
                    Latest latest = attached.get(detach.clientId());
                    if (latest != null && latest.epoch == detach.epoch()) {
                        offline.putIfAbsent(detach.clientId(), offline(record, detach, latest.attach));
                    }
                }
                case SessionExpired expired -> {
                    Offline client = offline.get(expired.clientId());
                    if (client != null) {
                        client.check(record, expired.epoch(), client.expirySeconds);
                    }
                }
                case WillDue due -> {
                    Offline client = offline.get(due.clientId());
                    if (client != null) {
                        client.check(record, due.epoch(), Math.min(client.willDelaySeconds, client.expirySeconds));
                    }
                }
                default -> {}
            }
        }
    }

    private static Offline offline(LogRecord record, Detach detach, Attach ended) {
        long delaySeconds = ended.will() == null ? 0 : ended.will().delaySeconds();
        return new Offline(detach.epoch(), record.timeMillis(), delaySeconds, detach.sessionExpirySeconds());
    }
}
