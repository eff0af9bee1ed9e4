package io.tributary.broker.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SilentConnectionsTest {
    private final List<Integer> gone = new ArrayList<>();
    private final AtomicLong nanos = new AtomicLong();
    private final SilentConnections all = new SilentConnections(100, null, nanos::get);
    private final SilentConnections small = new SilentConnections(80, all, nanos::get);
    private final SilentConnections large = new SilentConnections(1_000, all, nanos::get);

    @Test
    void oldestThatHasSentNothingGivesWay() {
        List<Runnable> came = add(small, 0, 20);
        small.remove(came.get(0)); // has spoken
        add(small, 20, 21);
        assertThat(gone).isEmpty();
        add(small, 21, 23);
        assertThat(gone).containsExactly(1, 2);
        came.forEach(small::remove);
        came.forEach(small::remove);
        assertThat(all.count()).isEqualTo(3);
        add(small, 23, 40);
        assertThat(gone).containsExactly(1, 2);
    }

    @Test
    void thoseOfAllListenersTogetherHaveALimit() {
        add(large, 0, 20);
        add(small, 20, 25);
        assertThat(gone).isEmpty();
        add(small, 25, 27);
        assertThat(gone).containsExactly(0, 1);
        assertThat(all.count()).isEqualTo(25);
    }

    @Test
    void fewMayBeSilentWhereFewConnectionsAreAllowed() {
        SilentConnections one = new SilentConnections(1, null, nanos::get);
        add(one, 0, 16);
        assertThat(gone).isEmpty();
        add(one, 16, 17);
        assertThat(gone).containsExactly(0);
    }

    @Test
    void oldestGivesWayWhereDescriptorsAreShortIfItHasBeenSilentForLong() {
        assertThat(all.oldestGivesWay()).isFalse();
        add(small, 0, 1);
        nanos.addAndGet(SilentConnections.LONG_NANOS - 1);
        add(large, 1, 2);
        assertThat(all.oldestGivesWay()).isFalse();
        nanos.incrementAndGet();
        assertThat(all.oldestGivesWay()).isTrue();
        assertThat(all.oldestGivesWay()).as("the other came later").isFalse();
        assertThat(gone).containsExactly(0);
    }

    private List<Runnable> add(SilentConnections to, int from, int until) {
        List<Runnable> added = new ArrayList<>();
        for (int i = from; i < until; i++) {
            int number = i;
            added.add(() -> gone.add(number));
            to.add(added.getLast());
        }
        return added;
    }
}
