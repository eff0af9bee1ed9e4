package io.tributary.broker.shard;

import io.tributary.broker.shard.fold.SessionState;
import io.tributary.broker.shard.fold.ShardState;
import io.tributary.common.event.Destinations;
import io.tributary.common.event.Principal;
import io.tributary.common.event.ShardEvent.Detach;
import io.tributary.common.event.ShardEvent.SessionExpired;
import io.tributary.common.event.ShardEvent.WillDue;
import io.tributary.common.event.TenantNames;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.Printable;
import io.tributary.common.mqtt.Will;
import io.tributary.common.time.LineAMinute;
import io.tributary.persistence.shard.SavePoint.WillKey;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
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

    private final ShardEnvironment environment;
    private final Tenure tenure;
    private final ShardState state;
    private final LogTime time;
    private final WillsFirst underWay;
    private final Redistributor redistributor;
    private final Executor thread;
    private final ShardTimers timers = new ShardTimers();
    private final LastWords lastWords = new LastWords();
    /** Wills that are due and wait until this node knows what the others do, and the log has room. */
    private final Queue<WillKey> owed = new ArrayDeque<>();

    private long owedAgainAtMillis = Long.MIN_VALUE;

    /** The clients whose timers were taken in vain. */
    private final List<String> failed = new ArrayList<>();

    private long repeatAtMillis;

    /** Any number may fail for the same reason. */
    private final LineAMinute failures;

    WillsAndExpiry(
            ShardEnvironment environment, Tenure tenure, Loaded loaded, Redistributor redistributor, Executor thread) {
        this.environment = environment;
        failures = new LineAMinute(
                () -> TimeUnit.MILLISECONDS.toNanos(environment.clockMillis().getAsLong()));
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

    /** A session that was loaded has no connection. */
    void loaded(SessionState client) {
        timers.set(client, Long.MIN_VALUE);
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

    /** One that fails is owed, too: those behind it are not to blame. */
    private void publishOrOwe(String clientId, long epoch, Will will) {
        boolean isPublished = false;
        try {
            isPublished = publish(clientId, epoch, will);
        } catch (RuntimeException | Error failure) {
            failed(clientId, failure);
        }
        if (!isPublished) {
            owed.add(new WillKey(clientId, epoch));
        }
    }

    /** A will that was due is not to be published. */
    void dropped(String clientId) {
        underWay.done(clientId);
    }

    /** Does what the time of the log asks for; several times a second, while this node knows what the others do. */
    void tickCurrent() {
        publishOwed();
        if (isCongested()) {
            return;
        }
        long now = time.nowMillis();
        timers.takeDue(now).forEach(clientId -> tryDue(clientId, now));
        if (now >= repeatAtMillis && !failed.isEmpty()) {
            List<String> again = List.copyOf(failed);
            failed.clear();
            again.forEach(clientId -> tryDue(clientId, now));
        }
    }

    /** While the log has no room, what is due waits where it is: any number may be due at once. */
    private boolean isCongested() {
        return environment.appender().isCongested();
    }

    private void publishOwed() {
        if (time.nowMillis() < owedAgainAtMillis) {
            return;
        }
        for (WillKey next = owed.peek(); next != null; next = owed.peek()) {
            Will will = state.dueWills().get(next);
            boolean isDone = will == null // published meanwhile, or dropped
                    || lastWords.isAwaited(next.clientId(), next.epoch())
                    || tryPublish(next, will);
            if (!isDone) {
                return;
            }
            owed.remove();
        }
    }

    /** Tells false when it is to be tried again; one that fails is tried a second later, behind the others. */
    private boolean tryPublish(WillKey key, Will will) {
        try {
            return publish(key.clientId(), key.epoch(), will);
        } catch (RuntimeException | Error failure) {
            failed(key.clientId(), failure);
            owed.add(owed.remove());
            owedAgainAtMillis = time.nowMillis() + RETRY_MILLIS;
            return false;
        }
    }

    private void failed(String clientId, Throwable failure) {
        String others = failures.happened();
        if (others != null) {
            LOG.error(
                    "what is due of the session of {} failed, which is tried again{}",
                    Printable.of(TenantNames.display(clientId)),
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
        state.dueWills().keySet().forEach(key -> underWay.begin(key.clientId()));
    }

    /** Publishes all wills that are due. */
    void publishDue() {
        owed.addAll(state.dueWills().keySet());
        publishOwed();
    }

    /** One that fails is tried again, and those behind it, whose timers are taken, too, are not to blame. */
    private void tryDue(String clientId, long nowMillis) {
        try {
            due(clientId, nowMillis);
        } catch (RuntimeException | Error failure) {
            failed(clientId, failure);
            failed.add(clientId);
            repeatAtMillis = nowMillis + RETRY_MILLIS;
        }
    }

    private void due(String clientId, long nowMillis) {
        SessionState client = state.client(clientId);
        if (client == null || client.isAttached()) {
            return;
        }
        if (isCongested()) {
            timers.set(client, Long.MIN_VALUE);
            return;
        }
        boolean isWillDue = client.will() != null && client.willDueAtMillis() <= nowMillis;
        if (client.will() != null && isWillDue && !publish(client.clientId(), client.epoch(), client.will())) {
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

    /** Publishes a will; false while this node does not know all that the others do, or the log has no room. */
    private boolean publish(String clientId, long epoch, Will will) {
        if (!environment.nodes().isCurrent() || isCongested()) { // it may have lost the shard, too
            return false;
        }
        Message message = will.message();
        if (will.messageExpirySeconds() >= 0) {
            long expiresAt = environment.timeMillis().getAsLong() + will.messageExpirySeconds() * 1000;
            message = message.withExpiry(expiresAt);
        }
        Destinations destinations = match(clientId, message, state.principalOfWill(clientId, epoch));
        if (!environment.nodes().isCurrent()) { // a pause may have cost a subscription
            return false;
        }
        tenure.append(
                new WillDue(clientId, epoch, message, environment.appender().bounded(destinations)));
        return true;
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
