package io.tributary.cluster.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.cluster.link.HandshakeMessage.Hello;
import io.tributary.cluster.link.HandshakeMessage.Refused;
import io.tributary.persistence.contract.Waiting;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a node does about peers that are slow, silent, hostile or not of its cluster. */
class LinkLimitsTest {
    private static final int MEBIBYTE = 1024 * 1024;

    private final List<TestNode> nodes = new ArrayList<>();

    @AfterEach
    void close() {
        nodes.forEach(TestNode::close);
    }

    @Test
    void saysNoAndKeepsOrderWhenPeerReadsSlowly() {
        TestNode a = node("a", config -> config);
        TestNode b = node("b", config -> config);
        TestNode.connect(a, b);
        Link link = a.awaitLink(b.id);
        b.pauseReading();
        int accepted = 0;
        long sentBytes;
        do { // until the system's buffers are full, too, whatever their size: nothing more leaves the node
            sentBytes = a.counts.sentBytes.get();
            while (link.send(bytes(accepted))) {
                accepted++;
            }
        } while (sentBytes != a.counts.sentBytes.get());
        long acceptedBytes = (long) accepted * 10_000;

        // What a turn has sent makes room before it is counted.
        Waiting.until(() -> acceptedBytes - a.counts.sentBytes.get() <= 8L * MEBIBYTE);
        assertThat(a.counts.sendRefused).hasPositiveValue();
        assertThat(b.frameCount()).isLessThan(accepted);
        b.resumeReading();
        int total = accepted;
        Waiting.until(() -> b.frameCount() == total);
        assertThat(b.frames().stream().map(frame -> number(frame.content())))
                .isEqualTo(IntStream.range(0, total).boxed().toList());
        Waiting.until(() -> link.send(bytes(total)));
    }

    @Test
    void cutsLinkWhenPeerReadsNothingForTooLong() {
        LinkTimings impatient = new LinkTimings(
                Duration.ofMillis(50), Duration.ofSeconds(20), Duration.ofMillis(300), Duration.ofSeconds(5));
        TestNode a = node("a", config -> TestNode.withTimings(config, impatient));
        TestNode b = node("b", config -> config);
        TestNode.connect(a, b);
        b.pauseReading();
        Link link = a.awaitLink(b.id);
        TestNode.fill(link, MEBIBYTE);

        a.awaitDown(link);

        assertThat(a.counts.stalled).hasPositiveValue();
        assertThat(a.counts.silent).hasValue(0);
    }

    @Test
    void staysUpWhenNothingIsSent() {
        TestNode a = node("a", config -> TestNode.alert());
        TestNode b = node("b", config -> TestNode.alert());
        TestNode.connect(a, b);
        long none = a.counts.sentFrames.get();

        Waiting.until(() -> a.counts.sentFrames.get() - none > 50); // of more than twice the silence

        assertThat(a.ups()).isEqualTo(1);
        assertThat(b.frames()).isEmpty();
        assertThat(b.counts.receivedFrames).hasValue(0);
    }

    @Test
    void cutsLinkWhenPeerFallsSilent() throws IOException {
        TestNode b = node("b", config -> TestNode.alert());
        NodeId mute = new NodeId("a", 1);
        b.peers(Map.of(mute, b.address()));
        try (RawPeer peer = new RawPeer(b.address())) {
            peer.authenticate(mute, b.id);
            Link link = b.awaitLink(mute);

            peer.awaitEnd();

            b.awaitDown(link);
            assertThat(b.counts.silent).hasValue(1);
        }
    }

    /** Clients may have been allowed larger packets when the message was published. */
    @Test
    void carriesMessageLargerThanAnyThatIsPublishedNow() {
        TestNode a = node("a", config -> config);
        TestNode b = node("b", config -> config);
        TestNode.connect(a, b);
        Link link = a.awaitLink(b.id);
        assertThat(link.send(new byte[20 * MEBIBYTE])).isTrue();
        Waiting.until(() -> b.frameCount() == 1);
        assertThat(b.frames().getFirst().content()).hasSize(20 * MEBIBYTE);
        assertThatThrownBy(() -> link.send(new byte[0])).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void cutsLinkWhenFrameIsLargerThanAllowed() throws IOException {
        TestNode b = node("b", config -> config);
        NodeId large = new NodeId("a", 1);
        b.peers(Map.of(large, b.address()));
        try (RawPeer peer = new RawPeer(b.address())) {
            peer.authenticate(large, b.id);
            Link link = b.awaitLink(large);
            peer.sendFrame(new byte[10_000]);
            peer.send(ByteBuffer.allocate(FrameReader.HEADER_BYTES)
                    .putInt(LinkConfig.LARGEST_FRAME_BYTES + 1)
                    .array());
            peer.awaitEnd();

            b.awaitDown(link);
            assertThat(b.frames()).hasSize(1);
        }
    }

    @Test
    void refusesPeerWhenSecretsDiffer() {
        TestNode a = node(
                "a", config -> TestNode.withSecret(config, "cluster", ClusterSecret.of("another secret of nodes")));
        assertRefused(a, Refusal.WRONG_SECRET);
    }

    @Test
    void refusesPeerWhenClustersDiffer() {
        TestNode a = node("a", config -> TestNode.withSecret(config, "other", TestNode.SECRET));
        assertRefused(a, Refusal.WRONG_CLUSTER);
    }

    @Test
    void refusesPeerWhenAnotherNodeIsMeant() {
        TestNode a = node("a", config -> config);
        TestNode b = node("b", config -> config);
        b.peers(Map.of(a.id, a.address()));
        a.peers(Map.of(new NodeId("c", 1), b.address()));

        Waiting.until(() -> b.counts.refusedFor(Refusal.WRONG_NODE) > 0 && a.counts.refusedFor(Refusal.WRONG_NODE) > 0);
        assertThat(b.upNow()).isEmpty();
    }

    @Test
    void refusesPeerWhenVersionsDiffer() throws IOException {
        TestNode b = node("b", config -> config);
        try (RawPeer peer = new RawPeer(b.address())) {
            peer.send(new Hello(2, 9, "cluster", new NodeId("a", 1), b.id, new byte[32]));

            assertThat(peer.receive()).isEqualTo(new Refused(Refusal.WRONG_VERSION.code(), 1, 1));
            peer.awaitEnd();
        }
        assertThat(b.counts.refusedFor(Refusal.WRONG_VERSION)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
                "\0\0\0\4\0\0\0\0abcd",
                "\0\0\4\1\0\0\0\0",
                "\0\0\0\0\0\0\0\1"
            })
    void closesConnectionWhenBytesAreNoHandshake(String bytes) throws IOException {
        TestNode b = node("b", config -> config);
        try (RawPeer peer = new RawPeer(b.address())) {
            peer.send(TestNode.bytes(bytes));
            peer.awaitEnd();
        }
        assertThat(b.counts.refusedFor(Refusal.MALFORMED)).isEqualTo(1);
    }

    @Test
    void closesConnectionWhenMessageIsNoHandshake() throws IOException {
        TestNode b = node("b", config -> config);
        try (RawPeer peer = new RawPeer(b.address())) {
            peer.sendFrame(new byte[] {1, 2, 3});
            peer.awaitEnd();
        }
        assertThat(b.counts.refusedFor(Refusal.MALFORMED)).isEqualTo(1);
    }

    @Test
    void closesConnectionWhenItDoesNotAuthenticateInTime() throws IOException {
        LinkTimings hasty = new LinkTimings(
                Duration.ofMillis(100), Duration.ofSeconds(15), Duration.ofSeconds(20), Duration.ofMillis(200));
        TestNode b = node("b", config -> TestNode.withTimings(config, hasty));
        try (RawPeer mute = new RawPeer(b.address());
                RawPeer slow = new RawPeer(b.address())) {
            slow.send(new byte[] {0, 0, 0, 100});
            mute.awaitEnd();
            slow.awaitEnd();
        }
        assertThat(b.counts.refusedFor(Refusal.TIMEOUT)).isEqualTo(2);
    }

    @Test
    void letsNodesInWhenOthersOccupyAllPlaces() throws IOException {
        TestNode a = node("a", config -> config);
        LinkTimings patient = new LinkTimings( // so that nobody's place becomes free
                Duration.ofMillis(100), Duration.ofSeconds(15), Duration.ofSeconds(20), Duration.ofMinutes(1));
        TestNode b = node("b", config -> TestNode.withTimings(TestNode.withLimits(config, MEBIBYTE, 3), patient));
        List<RawPeer> idle = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            idle.add(new RawPeer(b.address()));
        }
        Waiting.until(() -> b.counts.refusedFor(Refusal.CROWDED) == 7);

        TestNode.connect(a, b);

        assertThat(b.counts.refusedFor(Refusal.CROWDED)).isEqualTo(8);
        for (RawPeer peer : idle) {
            peer.close();
        }
    }

    private void assertRefused(TestNode a, Refusal why) {
        TestNode b = node("b", config -> config);
        a.peers(Map.of(b.id, b.address()));
        b.peers(Map.of(a.id, a.address()));

        Waiting.until(() -> b.counts.refusedFor(why) > 1 && a.counts.refusedFor(why) > 1);
        assertThat(a.ups()).isZero();
        assertThat(b.ups()).isZero();
    }

    private TestNode node(String name, UnaryOperator<LinkConfig> change) {
        TestNode node = new TestNode(name, 1, change);
        nodes.add(node);
        return node;
    }

    /** A frame of 10,000 bytes that begins with a number. */
    private static byte[] bytes(int number) {
        byte[] frame = new byte[10_000];
        frame[0] = (byte) (number >>> 24);
        frame[1] = (byte) (number >>> 16);
        frame[2] = (byte) (number >>> 8);
        frame[3] = (byte) number;
        return frame;
    }

    private static int number(byte[] frame) {
        return (frame[0] & 0xFF) << 24 | (frame[1] & 0xFF) << 16 | (frame[2] & 0xFF) << 8 | (frame[3] & 0xFF);
    }
}
