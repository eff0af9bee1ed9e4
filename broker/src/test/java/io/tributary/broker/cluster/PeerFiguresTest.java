package io.tributary.broker.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.link.NodeId;
import org.junit.jupiter.api.Test;

class PeerFiguresTest {
    private static final NodeId PEER = new NodeId("b", 7);

    private long nowNanos = 5;
    private final PeerFigures figures = new PeerFigures(() -> nowNanos);

    @Test
    void knowsTheNewestThatANodeHasSaid() {
        figures.received(PEER, new byte[] {1});
        figures.received(PEER, new byte[] {2});

        assertThat(figures.of(PEER)).containsExactly(2);
        assertThat(figures.of(new NodeId("b", 8))).isNull();
    }

    @Test
    void forgetsWhatIsOld() {
        figures.received(PEER, new byte[] {1});
        nowNanos += PeerFigures.MAX_AGE.toNanos();
        assertThat(figures.of(PEER)).isNotNull();
        nowNanos++;
        assertThat(figures.of(PEER)).isNull();

        figures.received(PEER, new byte[] {2});
        assertThat(figures.of(PEER)).containsExactly(2);
    }

    @Test
    void forgetsANodeWithWhichThereIsNoLink() {
        figures.received(PEER, new byte[] {1});
        figures.linkDown(PEER);

        assertThat(figures.of(PEER)).isNull();
    }
}
