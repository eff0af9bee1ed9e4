package io.tributary.broker.shard;

import io.tributary.broker.shard.ShardRecorder.Drop;
import io.tributary.broker.shard.fold.SessionState;
import io.tributary.broker.shard.fold.ShardState;
import io.tributary.common.event.Destinations;
import io.tributary.common.event.Principal;
import io.tributary.common.event.ShardEvent.Detach;
import io.tributary.common.event.ShardEvent.SessionExpired;
import io.tributary.common.event.ShardEvent.WillDue;
import io.tributary.common.event.TenantNames;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.Will;
import io.tributary.common.time.LineAMinute;
import io.tributary.persistence.shard.SavePoint.WillKey;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes the wills of a live shard and ends its sessions, when the time of the log has come for it and how a
 * client's connection ended is known. Confined to the thread of the driver.
 *
 * <p>Decided in docs/decisions/0004-wills-in-memory.md.
 */
final class WillsAndExpiry {
    private static final Logger LOG = LoggerFactory.getLogger(WillsAndExpiry.class);
    private static final long RETRY_MILLIS = 1000;
    /** How often a will is tried that fails: the end of its session waits for it, and so do log snapshots. */
    private static final int MOST_TRIES = 10;
    /** How many of those that failed are tried again in a turn. */
    private static final int MOST_AT_ONCE = 1000;
    /** Other timers of sessions that were loaded are set later, after their shard went live: {@link AfterTakeover}. */
    private static final long SOON_MILLIS = 60_000;

    private final ShardEnvironment environment;
    private final Tenure tenure;
    private final ShardState state;
    private final LogTime time;
    private final WillsFirst underWay;
    private final Redistributor redistributor;
    private final Executor thread;
    private final ShardTimers timers = new ShardTimers();
    private final LastWords lastWords = new LastWords();
    /** Wills that are due and wait until this node knows what the others do, and there is room for them. */
    private final Queue<Late> owed = new ArrayDeque<>();
    /** What failed, and is tried again a second later; the first to be tried again is the first. */
    private final Queue<Failed> failed = new ArrayDeque<>();
    /** What is due by then of sessions that were loaded has a timer from the beginning. */
    private long soonUntilMillis = Long.MIN_VALUE;

    /** Any number may fail for the same reason. */
    private final LineAMinute failures;

    private final LineAMinute givenUp;

    /** A will that is due, or a connection of a client whose timer was taken, and how often that has failed. */
    private record Late(WillKey of, int failures) {
        String clientId() {
            return of.clientId();
        }
    }

    /** What is to be tried again, whether it is a will that is owed, and when. */
    private record Failed(Late late, boolean isOwed, long againAtMillis) {}

    WillsAndExpiry(
            ShardEnvironment environment, Tenure tenure, Loaded loaded, Redistributor redistributor, Executor thread) {
        this.environment = environment;
        LongSupplier nanos =
                () -> TimeUnit.MILLISECONDS.toNanos(environment.clockMillis().getAsLong());
        failures = new LineAMinute(nanos);
        givenUp = new LineAMinute(nanos);
        this.tenure = tenure;
        state = loaded.state();
        time = loaded.time();
        underWay = loaded.wills();
        this.redistributor = redistributor;
        this.thread = thread;
    }

    /** A connection that another one has taken over, on another node, may have said more. */
    void awaitLastWords(String clientId, long epoch) {
        lastWords.await(clientId, epoch);
    }

    /** A connection that had lost its session said how it ended. */
    void heard(Detach detach) {
        if (lastWords.heard(detach.clientId(), detach.epoch(), detach.sessionExpirySeconds() == 0)) {
            goOnBehind(detach.clientId(), detach.epoch());
        }
    }

    /** How a connection before ended is known, or not waited for any longer. */
    private void goOnBehind(String clientId, long epoch) {
        Will will = state.dueWills().get(new WillKey(clientId, epoch));
        if (will != null) {
            publishOrOwe(clientId, epoch, will);
        }
        SessionState client = state.client(clientId);
        if (client != null && resumesWhatIsOver(client)) {
            beginAnew(client);
        } else if (!lastWords.isAwaited(clientId)) {
            lastWords.release(clientId);
        }
    }

    /** Whether a connection has resumed a session that one before had ended. */
    private boolean resumesWhatIsOver(SessionState client) {
        return client.isAttached() && client.isResumed() && lastWords.haveEnded(client.clientId(), client.session());
    }

    /** Has a connection, which is not answered yet, begin a new session. */
    private void beginAnew(SessionState client) {
        // Folded, the record attaches the client anew.
        tenure.append(new SessionExpired(tenure.epoch(), client.clientId(), client.epoch(), 0));
    }

    /**
     * Goes on when it is known how the connections before a client's present one ended, and their wills are forwarded.
     */
    void whenSettled(SessionState client, Runnable then) {
        Runnable behindWills = () -> underWay.then(client.clientId(), then);
        if (client.isResumed()) {
            lastWords.then(client.clientId(), behindWills);
        } else {
            behindWills.run();
        }
    }

    /** Goes on when it is known how the connections before a client's present one ended. */
    void whenHeard(String clientId, Runnable then) {
        if (lastWords.isAwaited(clientId)) {
            lastWords.then(clientId, then);
        } else {
            then.run();
        }
    }

    /** A connection has its session. */
    void attached(SessionState client) {
        if (!client.isResumed()) {
            lastWords.release(client.clientId());
        } else if (resumesWhatIsOver(client)) { // what was said of the connection before it comes too late
            beginAnew(client);
        }
        timers.remove(client.clientId());
    }

    /** A session has no connection: its will and its end are due some time. */
    void detached(SessionState client) {
        timers.set(client, Long.MIN_VALUE);
        lastWords.release(client.clientId());
    }

    /** A session that was loaded has no connection, and its timer is set if that is due soon. */
    void loaded(SessionState client) {
        if (isDueSoon(client)) {
            timers.set(client, Long.MIN_VALUE);
        }
    }

    /** A session was loaded, some ticks ago, and its timer is set if it was not to be due soon. */
    void loadedBefore(SessionState client) {
        if (!isDueSoon(client) && state.client(client.clientId()) == client) {
            timers.set(client, Long.MIN_VALUE);
        }
    }

    private boolean isDueSoon(SessionState client) {
        return Math.min(client.willDueAtMillis(), client.expiresAtMillis()) <= soonUntilMillis;
    }

    /** A session is over. */
    void ended(SessionState client) {
        timers.remove(client.clientId());
        lastWords.release(client.clientId());
    }

    /** A will is to be published, whatever becomes of its client. */
    void due(String clientId, long epoch, Will will) {
        underWay.begin(clientId);
        if (!lastWords.isAwaited(clientId, epoch)) {
            publishOrOwe(clientId, epoch, will);
        }
    }

    private void publishOrOwe(String clientId, long epoch, Will will) {
        Late next = new Late(new WillKey(clientId, epoch), 0);
        if (!tryPublish(next, will)) {
            owed.add(next);
        }
    }

    /** A will that was due is not to be published. */
    void dropped(String clientId) {
        underWay.done(clientId);
    }

    /** Does what the time of the log asks for; several times a second, while this node knows what the others do. */
    void tickCurrent() {
        long now = time.nowMillis();
        tryAgain(now);
        publishOwed();
        if (isCongested()) {
            return;
        }
        for (String clientId : timers.takeDue(now)) {
            SessionState client = state.client(clientId);
            if (client != null) {
                tryDue(new Late(new WillKey(clientId, client.epoch()), 0), now);
            }
        }
    }

    /** While the log has no room, what is due waits: any number may be due at once. */
    private boolean isCongested() {
        return environment.appender().isCongested();
    }

    /** A will that is retained waits for the store of retained messages, too. */
    private boolean hasRoomFor(Will will) {
        return !isCongested()
                && (!will.message().retain() || environment.routing().congestion() == null);
    }

    private void tryAgain(long nowMillis) {
        long clock = environment.clockMillis().getAsLong();
        for (int tried = 0; tried < MOST_AT_ONCE && !isCongested(); tried++) {
            Failed next = failed.peek();
            if (next == null || next.againAtMillis > clock) {
                return;
            }
            failed.remove();
            if (next.isOwed) {
                owed.add(next.late);
            } else {
                tryDue(next.late, nowMillis);
            }
        }
    }

    private void publishOwed() {
        for (Late next = owed.peek(); next != null; next = owed.peek()) {
            WillKey key = next.of;
            Will will = state.dueWills().get(key);
            boolean isDone = will == null // published meanwhile, or dropped
                    || lastWords.isAwaited(key.clientId(), key.epoch())
                    || tryPublish(next, will);
            if (!isDone) {
                return;
            }
            owed.remove();
        }
    }

    /** Tells false when it is to wait; one that fails is tried again later: those behind it are not to blame. */
    private boolean tryPublish(Late next, Will will) {
        try {
            return publish(next, will);
        } catch (RuntimeException | Error failure) {
            failed(next, true, failure);
            return true;
        }
    }

    private void failed(Late late, boolean isOwed, Throwable failure) {
        long againAtMillis = environment.clockMillis().getAsLong() + RETRY_MILLIS;
        failed.add(new Failed(new Late(late.of, late.failures + 1), isOwed, againAtMillis));
        String others = failures.happened();
        if (others != null) {
            LOG.error(
                    "what is due of the session of {} failed, which is tried again{}",
                    TenantNames.display(late.clientId()),
                    others,
                    failure);
        }
    }

    /** Ten times a second. */
    void tick() {
        for (WillKey late : lastWords.tick()) {
            goOnBehind(late.clientId(), late.epoch());
        }
    }

    /** The shard is live: connections wait for the wills that are due. */
    void begin() {
        soonUntilMillis = time.nowMillis() + SOON_MILLIS;
        state.dueWills().keySet().forEach(key -> underWay.begin(key.clientId()));
    }

    /** Publishes all wills that are due. */
    void publishDue() {
        state.dueWills().keySet().forEach(key -> owed.add(new Late(key, 0)));
        publishOwed();
    }

    /** One that fails is tried again, and those behind it, whose timers are taken, too, are not to blame. */
    private void tryDue(Late late, long nowMillis) {
        try {
            due(late, nowMillis);
        } catch (RuntimeException | Error failure) {
            failed(late, false, failure);
        }
    }

    private void due(Late late, long nowMillis) {
        SessionState client = state.client(late.clientId());
        if (client == null || client.isAttached() || client.epoch() != late.of.epoch()) {
            return; // a later connection has a timer and a will of its own
        }
        if (isCongested()) {
            timers.set(client, Long.MIN_VALUE);
            return;
        }
        boolean isWillDue = client.will() != null && client.willDueAtMillis() <= nowMillis;
        if (client.will() != null && isWillDue && !publish(late, client.will())) {
            timers.set(client, Long.MIN_VALUE); // tried again
            return;
        }
        timers.set(client, nowMillis);
        if (client.expiresAtMillis() <= nowMillis) {
            redistributor.ending(client, () -> expired(client), () -> timers.set(client, Long.MIN_VALUE));
        }
    }

    private void expired(SessionState client) {
        tenure.append(new SessionExpired(tenure.epoch(), client.clientId(), client.epoch(), client.lastSequence()));
    }

    /** Publishes a will; false while this node does not know all that the others do, or there is no room. */
    private boolean publish(Late late, Will will) {
        if (!environment.nodes().isCurrent() || !hasRoomFor(will)) { // it may have lost the shard, too
            return false;
        }
        if (late.failures < MOST_TRIES) {
            try {
                return publishToAll(late.of, will);
            } catch (RuntimeException | Error failure) {
                if (late.failures + 1 < MOST_TRIES) {
                    throw failure;
                }
                giveUp(late.clientId(), failure);
            }
        }
        append(late.of, will.message(), Destinations.NONE);
        return true;
    }

    /** The same, to those who subscribed; false when this node may not know them. */
    private boolean publishToAll(WillKey key, Will will) {
        Message message = will.message();
        if (will.messageExpirySeconds() >= 0) {
            long expiresAt = environment.timeMillis().getAsLong() + will.messageExpirySeconds() * 1000;
            message = message.withExpiry(expiresAt);
        }
        Principal principal = state.principalOfWill(key.clientId(), key.epoch());
        Destinations destinations = match(key.clientId(), message, principal);
        if (!environment.nodes().isCurrent()) { // a pause may have cost a subscription
            return false;
        }
        append(key, message, environment.appender().bounded(destinations));
        return true;
    }

    private void append(WillKey key, Message message, Destinations destinations) {
        tenure.append(new WillDue(key.clientId(), key.epoch(), message, destinations));
    }

    private void giveUp(String clientId, Throwable failure) {
        environment.recorder().dropped(Drop.WILL_FAILED);
        String others = givenUp.happened();
        if (others != null) {
            LOG.error(
                    "the will of {} has failed {} times, and nobody gets it{}",
                    TenantNames.display(clientId),
                    MOST_TRIES,
                    others,
                    failure);
        }
    }

    /** What else the client retains comes after its will is stored; nothing waits for one that fails. */
    private Destinations match(String clientId, Message message, @Nullable Principal principal) {
        Step storing = new Step(clientId);
        try {
            return environment.routing().match(message, principal, () -> thread.execute(storing::done));
        } catch (RuntimeException | Error failure) {
            storing.done();
            throw failure;
        }
    }

    /** A step of publishing a will. It ends once, though routing may fail after it has said that the will is stored. */
    private final class Step {
        private final String clientId;
        private boolean isDone;

        Step(String clientId) {
            this.clientId = clientId;
            underWay.begin(clientId);
        }

        void done() {
            if (!isDone) {
                isDone = true;
                underWay.done(clientId);
            }
        }
    }
}
