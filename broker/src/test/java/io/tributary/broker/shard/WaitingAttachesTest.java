package io.tributary.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class WaitingAttachesTest {
    private final AtomicLong nanos = new AtomicLong(-5);
    private final Set<Integer> owned = new HashSet<>(Set.of(0, 1));
    private final WaitingAttaches attaches = new WaitingAttaches(2, owned::contains, nanos::get);

    @Test
    void takesFewerInShardWithoutOwner() {
        assertThat(ask(0, 20_000)).isEqualTo(WaitingAttaches.MOST);

        owned.remove(1);
        assertThat(ask(1, 20_000)).isEqualTo(WaitingAttaches.MOST_WITHOUT_OWNER);
        attaches.answered(1);
        assertThat(ask(1, 10)).isEqualTo(1);
    }

    @Test
    void takesNobodyOnceShardHasBeenWithoutOwnerForLong() {
        nanos.addAndGet(5 * WaitingAttaches.PATIENCE_NANOS);
        attaches.look();
        owned.remove(1);
        nanos.addAndGet(WaitingAttaches.PATIENCE_NANOS - 1);
        attaches.look();
        assertThat(attaches.hasRoom(1)).isTrue();

        nanos.addAndGet(1);

        assertThat(attaches.hasRoom(1)).isFalse();
        assertThat(attaches.hasRoom(0)).isTrue();
        owned.add(1);
        assertThat(attaches.hasRoom(1)).isTrue();
    }

    private int ask(int shard, int times) {
        int taken = 0;
        for (int i = 0; i < times && attaches.hasRoom(shard); i++) {
            attaches.asked(shard);
            taken++;
        }
        return taken;
    }
}
