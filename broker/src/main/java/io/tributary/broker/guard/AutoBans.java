package io.tributary.broker.guard;

import io.tributary.broker.guard.AutomaticBan.Cause;
import io.tributary.broker.guard.AutomaticBan.Kind;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts what clients do too often, and bans them for it; each ban is over by itself. A full table forgets what was
 * longest not heard of. Any thread.
 */
final class AutoBans {
    private final LongSupplier nanoClock;
    private final InstantSource clock;

    // Guarded by this.
    private final Map<Counted, Count> counts;
    private final Map<Banned, Lasting> bans;

    private record Counted(Kind kind, Cause cause, NameHash who) {}

    private record Banned(Kind kind, String who) {}

    /** A ban, and when it ends by the clock that nobody sets. */
    private record Lasting(AutomaticBan ban, long untilNanos) {}

    private static final class Count {
        private final long begunNanos;
        private int times;

        private Count(long begunNanos) {
            this.begunNanos = begunNanos;
        }
    }

    /**
     * Creates one that bans nobody yet.
     *
     * @param most how many are banned at once, and counted, at most
     */
    AutoBans(int most, LongSupplier nanoClock, InstantSource clock) {
        this.nanoClock = nanoClock;
        this.clock = clock;
        counts = new BoundedTable<>(most);
        bans = new BoundedTable<>(most);
    }

    /**
     * Somebody did it once more.
     *
     * @return the ban that it has got for that; null for none
     */
    @Nullable
    AutomaticBan count(Kind kind, Cause cause, String who, BanLimit limit) {
        if (limit.count() == 0) {
            return null;
        }
        long now = nanoClock.getAsLong();
        Counted counted = new Counted(kind, cause, NameHash.of(who));
        synchronized (this) {
            Count count = counts.get(counted);
            if (count == null || isOver(count.begunNanos, limit.within(), now)) {
                count = new Count(now);
                counts.put(counted, count);
            }
            count.times++;
            if (count.times < limit.count()) {
                return null;
            }
            counts.remove(counted);
            AutomaticBan ban =
                    new AutomaticBan(kind, who, cause, clock.instant().plus(limit.duration()));
            bans.put(
                    new Banned(kind, who),
                    new Lasting(ban, now + limit.duration().toNanos()));
            return ban;
        }
    }

    /** Takes over a ban that another node has made, or this one before its start; a longer one stays. */
    void adopt(AutomaticBan ban) {
        Duration left = Duration.between(clock.instant(), ban.until());
        long until = nanoClock.getAsLong() + left.toNanos();
        synchronized (this) {
            Banned key = new Banned(ban.kind(), ban.who());
            Lasting known = bans.get(key);
            if (left.isPositive() && (known == null || known.untilNanos - until < 0)) {
                bans.put(key, new Lasting(ban, until));
            }
        }
    }

    /** The ban that somebody has; null for none. */
    synchronized @Nullable AutomaticBan of(Kind kind, String who) {
        if (bans.isEmpty()) {
            return null;
        }
        Banned key = new Banned(kind, who);
        Lasting found = bans.get(key);
        if (found == null) {
            return null;
        }
        if (found.untilNanos - nanoClock.getAsLong() <= 0) {
            bans.remove(key);
            return null;
        }
        return found.ban;
    }

    /** Takes a ban away. */
    synchronized boolean lift(Kind kind, String who) {
        return bans.remove(new Banned(kind, who)) != null;
    }

    /** All bans that are not over. */
    synchronized List<AutomaticBan> all() {
        long now = nanoClock.getAsLong();
        bans.values().removeIf(ban -> ban.untilNanos - now <= 0);
        List<AutomaticBan> all = new ArrayList<>(bans.size());
        bans.values().forEach(ban -> all.add(ban.ban));
        return all;
    }

    /** How many are counted or banned, whichever is more. */
    synchronized int size() {
        return Math.max(counts.size(), bans.size());
    }

    private static boolean isOver(long begunNanos, Duration within, long now) {
        return now - begunNanos > within.toNanos();
    }
}
