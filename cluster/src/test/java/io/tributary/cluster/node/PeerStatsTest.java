package io.tributary.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cluster.link.NodeId;
import org.junit.jupiter.api.Test;

class PeerStatsTest {
    private static final NodeId PEER = new NodeId("b", 7);

    private long nowNanos = 5;
    private final PeerStats stats = new PeerStats(() -> nowNanos);

    @Test
    void knowsTheNewestThatANodeHasSaid() {
        stats.received(PEER, new byte[] {1});
        stats.received(PEER, new byte[] {2});

        assertThat(stats.of(PEER)).containsExactly(2);
        assertThat(stats.of(new NodeId("b", 8))).isNull();
    }

    @Test
    void forgetsWhatIsOld() {
        stats.received(PEER, new byte[] {1});
        nowNanos += PeerStats.MAX_AGE.toNanos();
        assertThat(stats.of(PEER)).isNotNull();
        nowNanos++;
        assertThat(stats.of(PEER)).isNull();

        stats.received(PEER, new byte[] {2});
        assertThat(stats.of(PEER)).containsExactly(2);
    }

    @Test
    void forgetsANodeWithWhichThereIsNoLink() {
        stats.received(PEER, new byte[] {1});
        stats.linkDown(PEER);

        assertThat(stats.of(PEER)).isNull();
    }
}
