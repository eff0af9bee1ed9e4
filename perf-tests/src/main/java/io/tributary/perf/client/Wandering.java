package io.tributary.perf.client;

import io.tributary.perf.scenario.Churn;
import io.tributary.perf.scenario.Group;
import io.tributary.perf.scenario.PlannedClient;
import java.util.concurrent.TimeUnit;

/**
 * A client that comes and goes by chance. While one is away that misses what is published meanwhile, messages are not
 * expected to reach it; what is on its way when it goes counts as lost. Confined to the client's event loop.
 */
final class Wandering {
    private final LoadClient client;
    private final Churn churn;
    private final int[] missed;
    private boolean ended;
    private boolean away;
    private boolean isComing;

    Wandering(LoadClient client, Churn churn) {
        this.client = client;
        this.churn = churn;
        missed = missedBy(client.planned());
        // Not all at the same moment.
        schedule(client.loop().random().nextLong(churn.every().toNanos()));
    }

    /** The sources of which it misses messages; none where its session keeps them. */
    private int[] missedBy(PlannedClient planned) {
        Group group = planned.group();
        boolean keeps = group.persistent()
                && group.subscribe().stream().allMatch(one -> one.qos() > 0)
                && client.loop().plan().scenario().groups().stream()
                        .allMatch(other ->
                                other.publish() == null || other.publish().qos() > 0);
        return keeps || !group.subscribes() ? new int[0] : client.loop().plan().sourcesFor(planned);
    }

    private void schedule(long nanos) {
        var _ = client.loop().eventLoop().schedule(this::draw, nanos, TimeUnit.NANOSECONDS);
    }

    private void draw() {
        if (ended) {
            return;
        }
        double chance = client.loop().random().nextDouble();
        if (away && !isComing && chance < churn.reconnect()) {
            comeBack();
        } else if (!away && client.isReady() && chance < churn.disconnect()) {
            away = true;
            client.loop().audience().change(missed, -1);
            client.disconnect();
            Publisher publisher = client.publisher();
            if (publisher != null && !client.planned().group().persistent()) {
                publisher.forget();
            }
        }
        schedule(churn.every().toNanos());
    }

    private void comeBack() {
        isComing = true;
        var _ = client.connect().whenComplete((_, failure) -> {
            isComing = false;
            if (failure == null) {
                away = false;
                client.loop().audience().change(missed, 1);
            } else if (ended) {
                var _ = client.loop()
                        .eventLoop()
                        .schedule(this::comeBack, churn.every().toNanos(), TimeUnit.NANOSECONDS);
            }
        });
    }

    /** Stays from now on. */
    void end() {
        ended = true;
        if (away && !isComing) {
            comeBack();
        }
    }
}
