package io.tributary.broker;

import io.tributary.broker.guard.AutomaticBan;
import io.tributary.broker.guard.AutomaticBan.Cause;
import io.tributary.broker.guard.AutomaticBan.Kind;
import io.tributary.broker.guard.Guard;
import io.tributary.broker.security.store.Ban;
import io.tributary.broker.security.store.Ban.Subject;
import io.tributary.broker.security.store.Change;
import io.tributary.broker.security.store.SecurityObject;
import io.tributary.broker.security.store.SecurityStore;
import io.tributary.broker.security.store.SecurityTable;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts the bans that this node makes by itself into the store, and takes over those of others from there, so that all
 * nodes refuse whom one has banned, and a restart changes nothing. Strangers decide how many there are: so 10 a second
 * go there, of all nodes together, and no more than 10,000 are there at once; those that find no room hold at this node
 * alone. One that is removed from the store before it is over is lifted at every node.
 */
final class SharedBans implements SecurityStore.Listener, Guard.Watcher {
    private static final Logger LOG = LoggerFactory.getLogger(SharedBans.class);
    private static final int A_SECOND = 10;
    private static final int MOST = 10_000;
    private static final int MOST_WAITING = 1_000;

    /** A ban that is over sooner is not worth writing. */
    private static final Duration SHORTEST = Duration.ofSeconds(5);

    private final SecurityStore store;
    private final Guard guard;
    private final InstantSource clock;
    private final Queue<AutomaticBan> waiting = new ArrayBlockingQueue<>(MOST_WAITING);
    private final AtomicInteger there = new AtomicInteger();

    SharedBans(SecurityStore store, Guard guard, InstantSource clock) {
        this.store = store;
        this.guard = guard;
        this.clock = clock;
    }

    @Override
    public void made(AutomaticBan ban) {
        if (!waiting.offer(ban)) {
            LOG.debug("a ban is this node's alone: too many wait");
        }
    }

    @Override
    public void lifted(Kind kind, String who) {
        waiting.removeIf(ban -> ban.kind() == kind && ban.who().equals(who));
        String id = Ban.automaticId(subjectOf(kind), who);
        SecurityStore.Entry entry = store.find(SecurityTable.BANS, id);
        if (entry != null) {
            CompletionStage<?> _ = store.change(Change.removeAutomatic(id, new Change.Is(entry.stamp())))
                    .thenAccept(result -> LOG.debug("{} is lifted: {}", id, result));
        }
    }

    @Override
    public void changed(SecurityTable table, @Nullable SecurityObject before, @Nullable SecurityObject now) {
        if (before instanceof Ban ban && ban.isAutomatic()) {
            there.decrementAndGet();
            Kind kind = kindOf(ban.subject());
            if (now == null && kind != null && ban.holdsAt(clock.instant())) {
                guard.forget(kind, ban.value());
            }
        }
        if (now instanceof Ban ban && ban.isAutomatic()) {
            there.incrementAndGet();
            Kind kind = kindOf(ban.subject());
            if (kind != null && ban.expires() != null) {
                guard.adopt(new AutomaticBan(kind, ban.value(), causeOf(ban), ban.expires()));
            }
        }
    }

    /** Once a second. */
    void tick() {
        for (int i = 0; i < A_SECOND && there.get() < MOST; i++) {
            AutomaticBan ban = waiting.poll();
            if (ban == null) {
                return;
            }
            share(ban);
        }
    }

    private void share(AutomaticBan made) {
        Instant worthwhile = clock.instant().plus(SHORTEST);
        if (made.until().isBefore(worthwhile) || !store.isOpen()) {
            return;
        }
        Ban ban;
        try {
            ban = Ban.automatic(
                    subjectOf(made.kind()), made.who(), made.cause().name().toLowerCase(Locale.ROOT), made.until());
        } catch (IllegalArgumentException e) { // a name with control characters
            LOG.debug("a ban is this node's alone: {}", e.getMessage());
            return;
        }
        SecurityStore.Entry entry = store.find(SecurityTable.BANS, ban.id());
        if (entry != null && !(entry.object() instanceof Ban known && isLonger(ban, known))) {
            return;
        }
        Change.Condition unchanged = entry == null ? new Change.Absent() : new Change.Is(entry.stamp());
        CompletionStage<?> _ = store.change(Change.automatic(ban, unchanged))
                .thenAccept(result -> LOG.debug("{} is shared: {}", ban.id(), result));
    }

    private static Cause causeOf(Ban ban) {
        return Cause.FLAPPING.name().equalsIgnoreCase(ban.reason()) ? Cause.FLAPPING : Cause.FAILURES;
    }

    private static boolean isLonger(Ban ban, Ban known) {
        return known.expires() != null && ban.expires() != null && ban.expires().isAfter(known.expires());
    }

    private static Subject subjectOf(Kind kind) {
        return switch (kind) {
            case ADDRESS -> Subject.ADDRESS;
            case CLIENT_ID -> Subject.CLIENT_ID;
            case USER -> Subject.USER;
        };
    }

    private static @Nullable Kind kindOf(Subject subject) {
        return switch (subject) {
            case ADDRESS -> Kind.ADDRESS;
            case CLIENT_ID -> Kind.CLIENT_ID;
            case USER -> Kind.USER;
            case TENANT -> null;
        };
    }
}
