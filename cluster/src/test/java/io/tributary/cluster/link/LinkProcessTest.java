package io.tributary.cluster.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.persistence.contract.Waiting;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a node notices of another process; of a peer that connects to it, and of one that it connects to. */
class LinkProcessTest {
    private final TestNode node = new TestNode("m", 1, config -> TestNode.alert());

    @AfterEach
    void close() {
        node.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "z"})
    void noticesWhenPeerIsStopped(String name) throws IOException, InterruptedException {
        try (PeerProcess peer = new PeerProcess(new NodeId(name, 1), node)) {
            Link link = connect(peer);

            peer.signal("STOP");
            node.awaitDown(link);
            assertThat(node.counts.silent).hasPositiveValue();

            peer.signal("CONT");
            Link next = node.awaitLink(peer.id, link.generation());
            assertThat(next.send(TestNode.bytes("again"))).isTrue();
            Waiting.until(() -> node.texts().contains("again"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "z"})
    void noticesWhenPeerIsKilledAndWhenItIsBack(String name) throws IOException, InterruptedException {
        Link link;
        try (PeerProcess peer = new PeerProcess(new NodeId(name, 1), node)) {
            link = connect(peer);
            peer.signal("KILL");
            node.awaitDown(link);
        }
        try (PeerProcess peer = new PeerProcess(new NodeId(name, 2), node)) {
            Link next = connect(peer);
            assertThat(next.generation()).isGreaterThan(link.generation());
        }
    }

    private Link connect(PeerProcess peer) {
        node.peers(Map.of(peer.id, peer.address()));
        Link link = node.awaitLink(peer.id);
        int before = node.frameCount();
        assertThat(link.send(TestNode.bytes("hello " + peer.id))).isTrue();
        Waiting.until(() -> node.frameCount() > before);
        assertThat(node.texts().getLast()).isEqualTo("hello " + peer.id);
        return link;
    }
}
