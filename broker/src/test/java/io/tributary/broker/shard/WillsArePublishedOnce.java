package io.tributary.broker.shard;

import io.tributary.common.event.EventCodec;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.event.ShardEvent.Attach;
import io.tributary.common.event.ShardEvent.Detach;
import io.tributary.common.event.ShardEvent.Owner;
import io.tributary.common.event.ShardEvent.SessionExpired;
import io.tributary.common.event.ShardEvent.WillDue;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.Will;
import io.tributary.persistence.shard.LogRecord;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** P4: each will that the log says is due reaches the watcher once, and no other ever does. */
final class WillsArePublishedOnce implements Ledger.Promise {
    private final Set<Integer> due = new HashSet<>();
    private final Set<Integer> seen = new HashSet<>();
    /** Of the connections of a shard, those wills that are due and not published. */
    private final Map<Long, Integer> undecided = new HashMap<>();

    /** The latest connection of a client, and its will until that is due or cancelled. */
    private static final class Latest {
        final boolean isStranger;
        long epoch;
        long expirySeconds;
        long detachedAtMillis;
        boolean isAttached = true;

        @Nullable
        Will will;

        Latest(long epoch, Attach attach) {
            this.epoch = epoch;
            isStranger = SimStranger.is(attach);
            expirySeconds = attach.sessionExpirySeconds();
            will = attach.will();
        }

        /** Whether a connection that resumes the session now cancels the will. */
        boolean isInTime(long timeMillis, Will pending) {
            long delaySeconds = pending.delaySeconds();
            return isAttached ? delaySeconds > 0 : timeMillis < detachedAtMillis + delaySeconds * 1000;
        }

        boolean isOver(long timeMillis) {
            return !isAttached && timeMillis >= detachedAtMillis + expirySeconds * 1000;
        }
    }

    @Override
    public void settled(SimWorld world) {
        for (int shard = 0; shard < world.log.shards(); shard++) {
            follow(world.log.records(shard));
        }
        for (Ledger.Published one : world.ledger.all()) {
            if (one.message.topic().equals(SimWorld.WILLS) && seen.contains(Ledger.idOf(one.message))) {
                judge(world, one);
            }
        }
    }

    private void judge(SimWorld world, Ledger.Published one) {
        if (one.lostFor.contains(SimWorld.WATCHER)) {
            return;
        }
        int times = one.times(SimWorld.WATCHER);
        boolean isDue = due.contains(Ledger.idOf(one.message));
        boolean mayBeDropped = world.recorder.queueFull > 0;
        if (times > (isDue ? 1 : 0) || (isDue && times == 0 && !mayBeDropped)) {
            throw new Violation("will " + Ledger.idOf(one.message) + " of " + one.message.publisher() + " came " + times
                    + " times and is " + (isDue ? "due" : "not due"));
        }
    }

    private void follow(List<LogRecord> records) {
        Map<String, Latest> clients = new HashMap<>();
        undecided.clear();
        long owner = -1;
        for (LogRecord record : records) {
            ShardEvent event = EventCodec.decode(record.value());
            switch (event) {
                case Owner _ -> owner = record.offset();
                case Attach attach -> attach(clients, record, attach);
                case Detach detach -> detach(clients.get(detach.clientId()), record.timeMillis(), detach);
                case SessionExpired expired -> expire(clients, record, expired, owner);
                case WillDue fired -> fire(clients.get(fired.clientId()), fired);
                default -> {}
            }
        }
    }

    private void attach(Map<String, Latest> clients, LogRecord record, Attach attach) {
        if (attach.will() != null) {
            seen.add(Ledger.idOf(attach.will().message()));
        }
        Latest before = clients.get(attach.clientId());
        if (before != null && before.isStranger != SimStranger.is(attach) && !before.isOver(record.timeMillis())) {
            return; // refused
        }
        clients.put(attach.clientId(), new Latest(record.offset(), attach));
        if (before != null && before.will != null) {
            boolean goesOn = before.expirySeconds > 0 && !attach.cleanStart() && !before.isOver(record.timeMillis());
            finish(before, !goesOn || !before.isInTime(record.timeMillis(), before.will));
        }
    }

    private void detach(@Nullable Latest latest, long timeMillis, Detach detach) {
        if (latest == null || latest.epoch != detach.epoch() || !latest.isAttached) {
            Integer will = undecided.remove(detach.epoch());
            if (will != null && !detach.publishWill()) { // there was a DISCONNECT in its socket when it was taken over
                due.remove(will);
            }
            return;
        }
        latest.isAttached = false;
        latest.detachedAtMillis = timeMillis;
        latest.expirySeconds = detach.sessionExpirySeconds();
        boolean waits = latest.will != null && latest.will.delaySeconds() > 0 && latest.expirySeconds > 0;
        if (!detach.publishWill() || !waits) {
            finish(latest, detach.publishWill());
        }
    }

    private void expire(Map<String, Latest> clients, LogRecord record, SessionExpired expired, long owner) {
        Latest latest = clients.get(expired.clientId());
        if (latest != null && latest.epoch == expired.epoch() && latest.isAttached && expired.ownerEpoch() == owner) {
            latest.epoch = record.offset(); // the session that it resumed was over, and it begins a new one
        } else if (latest != null && latest.epoch == expired.epoch() && !latest.isAttached) {
            finish(latest, true);
        }
    }

    private void fire(@Nullable Latest latest, WillDue fired) {
        undecided.remove(fired.epoch());
        if (latest != null && latest.epoch == fired.epoch() && !latest.isAttached) {
            finish(latest, true);
        }
    }

    private void finish(Latest latest, boolean isDue) {
        if (latest.will != null && isDue) {
            Message message = latest.will.message();
            due.add(Ledger.idOf(message));
            undecided.put(latest.epoch, Ledger.idOf(message));
        }
        latest.will = null;
    }
}
