package io.tributary.cluster.metrics;

import io.tributary.broker.metrics.BrokerMeters;
import io.tributary.broker.metrics.Meters;
import io.tributary.cluster.node.ClusterRecorder;
import java.util.concurrent.atomic.LongAdder;

/** Counts what happens between nodes. */
final class ClusterCounters implements ClusterRecorder {
    private final LongAdder handedOver;
    private final LongAdder givenUp;
    private final LongAdder leftOut;
    private final LongAdder visibilityRefused;
    private final LongAdder suspected;
    private final LongAdder declaredDead;

    ClusterCounters(Meters meters) {
        handedOver = meters.counter(BrokerMeters.HANDED_OVER);
        givenUp = meters.counter(BrokerMeters.GIVEN_UP);
        leftOut = meters.counter(BrokerMeters.LEFT_OUT);
        visibilityRefused = meters.counter(BrokerMeters.VISIBILITY_REFUSED);
        suspected = meters.counter(BrokerMeters.SUSPECTED);
        declaredDead = meters.counter(BrokerMeters.DECLARED_DEAD);
    }

    @Override
    public void onHandedOver() {
        handedOver.increment();
    }

    @Override
    public void onGivenUp() {
        givenUp.increment();
    }

    @Override
    public void onLeftOut() {
        leftOut.increment();
    }

    @Override
    public void onVisibilityRefused() {
        visibilityRefused.increment();
    }

    @Override
    public void onSuspected() {
        suspected.increment();
    }

    @Override
    public void onDeclaredDead() {
        declaredDead.increment();
    }
}
