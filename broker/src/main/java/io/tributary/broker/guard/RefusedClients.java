package io.tributary.broker.guard;

import io.tributary.common.mqtt.Printable;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The clients that were refused last. Any thread; adding one takes less than a microsecond. */
public final class RefusedClients {
    /** How many are kept. */
    public static final int MOST = 10_000;

    private final InstantSource clock;
    private final @Nullable RefusedClient[] ring; // guarded by this, as the number is
    private long added;

    RefusedClients(InstantSource clock, int most) {
        this.clock = clock;
        ring = new @Nullable RefusedClient[most];
    }

    void add(
            String listener,
            String address,
            @Nullable String clientId,
            @Nullable String userName,
            String reason,
            String words) {
        String id = printable(clientId);
        String user = printable(userName);
        String why = Printable.startOf(words);
        synchronized (this) {
            ring[(int) (added % ring.length)] =
                    new RefusedClient(added, clock.instant(), listener, address, id, user, reason, why);
            added++;
        }
    }

    /**
     * Those that were refused last, the newest first.
     *
     * @param before only those with a smaller number; {@link Long#MAX_VALUE} for all
     * @param limit how many at most
     */
    public synchronized List<RefusedClient> newest(long before, int limit) {
        List<RefusedClient> page = new ArrayList<>();
        long oldest = Math.max(0, added - ring.length);
        for (long number = Math.min(before, added) - 1; number >= oldest && page.size() < limit; number--) {
            RefusedClient one = ring[(int) (number % ring.length)];
            if (one != null) {
                page.add(one);
            }
        }
        return page;
    }

    private static @Nullable String printable(@Nullable String text) {
        return text == null ? null : Printable.startOf(text);
    }
}
