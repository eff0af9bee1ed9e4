package io.tributary.broker.shard;

import io.tributary.broker.delivery.SessionObserver;
import io.tributary.broker.shard.fold.NoEffects;
import io.tributary.broker.shard.fold.SessionState;
import io.tributary.common.event.Destinations;
import io.tributary.common.event.ShardEvent.WillDue;
import io.tributary.common.mqtt.Message;

/**
 * Carries out effects while an owner folds records that other owners may have folded before: only effects that have to
 * happen at least once. Clients are answered by {@link ShardService}, when all of the log is folded. Confined to the
 * thread of the driver.
 */
final class ReplayEffects extends NoEffects {
    private final Loaded loaded;
    private final Tenure tenure;
    private final SessionObserver observer;
    private final Runnable caughtUp;

    /** @param caughtUp run when the own record is folded */
    ReplayEffects(Loaded loaded, Tenure tenure, SessionObserver observer, Runnable caughtUp) {
        this.loaded = loaded;
        this.tenure = tenure;
        this.observer = observer;
        this.caughtUp = caughtUp;
    }

    @Override
    public void owned(long epoch) {
        if (tenure.isOwn(epoch)) {
            caughtUp.run();
        }
    }

    @Override
    public void takenOver(TakenOver connection, String by) {
        unheard(connection.node(), connection.connection());
    }

    @Override
    public void unheard(String node, long connection) {
        tenure.targetOf(node).takenOver(connection);
    }

    @Override
    public void inherited(SessionState successor, SessionState before) {
        sessionEnded(before);
    }

    @Override
    public void sessionEnded(SessionState client) {
        observer.sessionEnded(client.clientId(), client.session());
    }

    @Override
    public void forward(Message message, Destinations destinations) {
        loaded.forward(message, destinations);
    }

    @Override
    public void forwardWill(WillDue due, boolean wasDue) {
        loaded.wills().begin(due.clientId());
        loaded.forwardWill(due);
    }
}
