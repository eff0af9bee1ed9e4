package io.tributary.broker.shard;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What deliveries of a shard are to do later. Confined to the thread of the driver. */
final class Postponed {
    /** Half a second: a later acknowledgement is as good as lost, and its messages are handed over again. */
    private static final int TICKS_TO_LEAVE = 5;

    private final Set<SessionDelivery> toRetry = new LinkedHashSet<>();
    /** Applications that get no more missed messages for the moment. */
    private final Set<SessionDelivery> paced = new LinkedHashSet<>();

    /**
     * Those whose connection is gone, while acknowledgements of it may be on their way from another node; until which
     * tick.
     */
    private final Map<SessionDelivery, Long> leaving = new LinkedHashMap<>();

    private long ticks;

    /** The store could not give the entries that were asked for. */
    void toRetry(SessionDelivery delivery) {
        toRetry.add(delivery);
    }

    /** It was too early to read on. */
    void paced(SessionDelivery delivery) {
        paced.add(delivery);
    }

    /** Waits for acknowledgements of a connection that is gone; the time counts from the first wait. */
    void leaving(SessionDelivery delivery) {
        leaving.putIfAbsent(delivery, ticks + TICKS_TO_LEAVE);
    }

    /** A connection's last acknowledgements are here. */
    void heard(SessionDelivery delivery) {
        leaving.remove(delivery);
    }

    /** A window is gone, and with it all that was planned for it. */
    void disconnected(SessionDelivery delivery) {
        leaving.remove(delivery);
        paced.remove(delivery);
        toRetry.remove(delivery);
    }

    /** Does what it is time for; ten times a second. */
    void tick() {
        ticks++;
        List<SessionDelivery> late = leaving.entrySet().stream()
                .filter(each -> each.getValue() <= ticks)
                .map(Map.Entry::getKey)
                .toList();
        late.forEach(leaving::remove);
        late.forEach(SessionDelivery::left);
        List<SessionDelivery> waited = List.copyOf(paced);
        paced.clear();
        waited.forEach(SessionDelivery::pump);
        List<SessionDelivery> again = List.copyOf(toRetry);
        toRetry.clear();
        again.forEach(SessionDelivery::retry);
    }
}
