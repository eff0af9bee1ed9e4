package io.tributary.cluster.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.persistence.contract.Waiting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Links as nodes use them: order, breaks, replacement, closing. */
class NodeLinksTest {
    private static final int MEBIBYTE = 1024 * 1024;

    private final List<TestNode> nodes = new ArrayList<>();

    @AfterEach
    void close() {
        nodes.forEach(TestNode::close);
    }

    @Test
    void carriesFramesBothWaysWhenNodesAreConnected() {
        TestNode a = node("a", 1);
        TestNode b = node("b", 1);
        TestNode c = node("c", 1);
        TestNode.connect(a, b, c);

        assertThat(a.open.send(b.id, TestNode.bytes("a to b"))).isTrue();
        assertThat(b.awaitLink(a.id).send(TestNode.bytes("b to a"))).isTrue();
        assertThat(c.awaitLink(b.id).send(TestNode.bytes("c to b"))).isTrue();

        Waiting.until(() -> b.frameCount() == 2 && a.frameCount() == 1);
        assertThat(a.texts()).containsExactly("b to a");
        assertThat(b.texts()).containsExactlyInAnyOrder("a to b", "c to b");
        assertThat(a.counts.up).hasValue(2);
        Waiting.until(() -> a.framesRead() == 1 && b.framesRead() == 2);
    }

    @Test
    void keepsOrderOfEachThreadWhenManySend() throws InterruptedException {
        int threads = 4;
        int each = 20_000;
        TestNode a = node("a", 1);
        TestNode b = node("b", 1);
        TestNode.connect(a, b);
        Link link = a.awaitLink(b.id);
        List<Thread> senders = new ArrayList<>();
        AtomicInteger refused = new AtomicInteger();
        for (int t = 0; t < threads; t++) {
            String prefix = t + " ";
            senders.add(Thread.ofPlatform().start(() -> {
                for (int i = 0; i < each; i++) {
                    refused.addAndGet(link.send(TestNode.bytes(prefix + i)) ? 0 : 1);
                }
            }));
        }
        for (Thread sender : senders) {
            sender.join();
        }

        assertThat(refused).hasValue(0);
        Waiting.until(() -> b.frameCount() == threads * each);
        int[] next = new int[threads];
        for (String text : b.texts()) {
            int space = text.indexOf(' ');
            int thread = Integer.parseInt(text.substring(0, space));
            assertThat(Integer.parseInt(text.substring(space + 1))).isEqualTo(next[thread]++);
        }
    }

    @Test
    void carriesFramesOfAllSizesWhenTheyAreMixed() {
        TestNode a = node("a", 1);
        TestNode b = node("b", 1);
        TestNode.connect(a, b);
        Link link = a.awaitLink(b.id);
        int[] sizes = {1, 7, 32 * 1024 - 8, 32 * 1024, 3, 3 * MEBIBYTE, 4 * MEBIBYTE, 1};
        for (int i = 0; i < sizes.length; i++) {
            byte[] frame = new byte[sizes[i]];
            frame[0] = (byte) i;
            frame[sizes[i] - 1] = (byte) i;
            Waiting.until(() -> link.send(frame));
        }

        Waiting.until(() -> b.frameCount() == sizes.length);
        for (int i = 0; i < sizes.length; i++) {
            byte[] frame = b.frames().get(i).content();
            assertThat(frame).hasSize(sizes[i]).startsWith(i).endsWith(i);
        }
    }

    @Test
    void sendsNothingOfOldLinkWhenAnotherFollows() throws IOException {
        TestNode a = node("a", 1);
        TestNode b = node("b", 1);
        try (CuttableProxy proxy = new CuttableProxy(b.address())) {
            a.peers(Map.of(b.id, proxy.address()));
            b.peers(Map.of(a.id, a.address()));
            Link old = a.awaitLink(b.id);
            Link oldOfB = b.awaitLink(a.id);
            b.pauseReading();
            TestNode.fill(old, 64 * 1024);
            proxy.cut();
            a.awaitDown(old);
            Link next = a.awaitLink(b.id, old.generation());

            assertThat(old.send(TestNode.bytes("over the old link"))).isFalse();
            assertThat(next.send(TestNode.bytes("over the new link"))).isTrue();
            Waiting.until(() -> b.texts().contains("over the new link"));

            Link nextOfB = b.awaitLink(a.id, oldOfB.generation());
            List<String> overNext = b.frames().stream()
                    .filter(frame -> frame.link().equals(nextOfB))
                    .map(TestNode.Received::text)
                    .toList();
            assertThat(overNext).containsExactly("over the new link");
            assertThat(a.counts.reconnecting).hasPositiveValue();
        }
    }

    @Test
    void replacesLinkWhenOnlyTheOtherSideNoticedTheBreak() throws IOException {
        TestNode a = node("a", 1);
        LinkTimings patient = new LinkTimings(
                Duration.ofSeconds(20), Duration.ofSeconds(60), Duration.ofSeconds(60), Duration.ofSeconds(5));
        TestNode b = add(new TestNode("b", 1, config -> TestNode.withTimings(config, patient)));
        try (CuttableProxy proxy = new CuttableProxy(b.address())) {
            a.peers(Map.of(b.id, proxy.address()));
            b.peers(Map.of(a.id, a.address()));
            Link old = a.awaitLink(b.id);
            Link oldOfB = b.awaitLink(a.id);

            proxy.cutNear();

            Link next = a.awaitLink(b.id, old.generation());
            Link nextOfB = b.awaitLink(a.id, oldOfB.generation());
            assertThat(b.isDown(oldOfB)).isTrue();
            assertThat(oldOfB.send(TestNode.bytes("lost"))).isFalse();
            assertThat(next.send(TestNode.bytes("there"))).isTrue();
            assertThat(nextOfB.send(TestNode.bytes("and back"))).isTrue();
            Waiting.until(() -> a.texts().contains("and back") && b.texts().contains("there"));
        }
    }

    @Test
    void replacesOlderProcessWhenNewerOneConnects() {
        TestNode old = node("a", 1);
        TestNode b = node("b", 1);
        TestNode.connect(old, b);
        Link toOld = b.awaitLink(old.id);

        TestNode young = node("a", 2);
        young.peers(Map.of(b.id, b.address()));

        Link toYoung = b.awaitLink(young.id);
        assertThat(b.isDown(toOld)).isTrue();
        assertThat(toYoung.generation()).isGreaterThan(toOld.generation());
        Waiting.until(() -> b.counts.refusedFor(Refusal.OUTDATED) > 0); // the old one tries again
        assertThat(b.upNow()).containsExactly(young.id);
    }

    @Test
    void keepsNewerProcessWhenTableStillHasTheOlderOne() {
        TestNode b = node("b", 1);
        TestNode young = node("a", 2);
        TestNode c = node("c", 1);
        NodeId old = new NodeId("a", 1);
        b.peers(Map.of(old, young.address()));
        young.peers(Map.of(b.id, b.address()));
        Link link = b.awaitLink(young.id);

        b.peers(Map.of(old, young.address(), c.id, c.address()));
        c.peers(Map.of(b.id, b.address()));
        b.awaitLink(c.id);

        assertThat(b.isDown(link)).isFalse();
        assertThat(link.send(TestNode.bytes("still up"))).isTrue();
        Waiting.until(() -> young.texts().contains("still up"));
    }

    @Test
    void connectsToNewerProcessWhenTableNamesIt() {
        TestNode a = node("a", 1);
        TestNode old = node("b", 1);
        TestNode.connect(a, old);
        Link toOld = a.awaitLink(old.id);
        TestNode young = node("b", 2);
        young.peers(Map.of(a.id, a.address()));

        a.peers(Map.of(young.id, young.address()));

        a.awaitLink(young.id);
        assertThat(a.isDown(toOld)).isTrue();
    }

    @Test
    void closesLinkWhenPeerIsGoneFromTheSet() {
        TestNode a = node("a", 1);
        TestNode b = node("b", 1);
        TestNode.connect(a, b);
        Link link = a.awaitLink(b.id);

        b.peers(Map.of());

        a.awaitDown(link);
        Waiting.until(() -> b.counts.refusedFor(Refusal.UNKNOWN_NODE) > 1);
        assertThat(b.upNow()).isEmpty();
        assertThat(b.open.send(a.id, new byte[1])).isFalse();

        b.peers(Map.of(a.id, a.address()));
        a.awaitLink(b.id, link.generation());
    }

    @Test
    void hasOneLinkWhenBothAreToldOfEachOtherAtOnce() {
        for (int round = 0; round < 5; round++) {
            TestNode a = node("a" + round, 1);
            TestNode b = node("b" + round, 1);
            TestNode.connect(a, b);
            assertThat(a.counts.up).hasValue(1);
            assertThat(b.counts.up).hasValue(1);
            assertThat(b.counts.reconnecting).hasValue(0);
        }
    }

    @Test
    void keepsOneLinkUpWhenSetChangesAllTheTime() {
        TestNode a = node("a", 1);
        TestNode b = node("b", 1);
        Map<NodeId, InetSocketAddress> table = new HashMap<>(Map.of(b.id, b.address()));
        b.peers(Map.of(a.id, a.address()));
        for (int round = 0; round < 30; round++) {
            a.peers(table);
            Link link = a.awaitLink(b.id);
            a.peers(Map.of());
            a.peers(table);
            a.awaitLink(b.id, link.generation());
        }
        // TestNode checks when it is closed that there were never two links up at once.
    }

    @Test
    void connectsWhenNameIsToBeLookedUp() {
        TestNode a = node("a", 1);
        TestNode b = node("b", 1);
        a.peers(Map.of(
                b.id,
                InetSocketAddress.createUnresolved("localhost", b.address().getPort()),
                new NodeId("nowhere", 1),
                InetSocketAddress.createUnresolved("no.such.host.invalid", 1)));
        b.peers(Map.of(a.id, a.address()));

        a.awaitLink(b.id);
        Waiting.until(() -> a.counts.reconnecting.get() > 0);
    }

    /** Such as one for which there was no file descriptor: there is no handler then that could say that it ended. */
    @Test
    void connectsAgainWhenAnAttemptEndsBeforeItsHandlerIsThere() {
        AtomicInteger failures = new AtomicInteger(2);
        TestNode a = add(new TestNode("a", 1, (pipeline, dialing) -> {
            if (dialing && failures.getAndDecrement() > 0) {
                throw new IllegalStateException("as the test wants");
            }
        }));
        TestNode b = node("b", 1);

        TestNode.connect(a, b);

        assertThat(a.counts.reconnecting).hasValueGreaterThanOrEqualTo(2);
    }

    @Test
    void saysWhereWhenItCannotListen() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            LinkConfig config = LinkConfig.defaults("cluster", TestNode.SECRET, "127.0.0.1", taken.getLocalPort());
            LinkReceiver nobody = new TestReceiver();
            NodeLinks links = new NodeLinks(
                    new NodeId("a", 1), config, LinkLayer.PLAIN, new OpenLinks(), nobody, LinkRecorder.NONE);
            assertThatThrownBy(links::listen)
                    .isInstanceOf(LinkListenException.class)
                    .hasMessageContaining("127.0.0.1:" + taken.getLocalPort());
            Waiting.get(links.close(Duration.ofSeconds(2)));
        }
    }

    @Test
    void breaksLinkWhenReceiverFails() {
        TestNode a = node("a", 1);
        TestNode b = node("b", 1);
        TestNode.connect(a, b);
        Link link = a.awaitLink(b.id);

        b.failing = true;
        link.send(TestNode.bytes("cannot be handled"));

        a.awaitDown(link);
        b.failing = false;
        a.awaitLink(b.id, link.generation());
    }

    @Test
    void sendsWhatWasAcceptedWhenClosed() {
        TestNode a = add(new TestNode("a", 1, config -> TestNode.withLimits(config, 64L * MEBIBYTE, 4)));
        TestNode b = node("b", 1);
        TestNode.connect(a, b);
        Link link = a.awaitLink(b.id);
        int accepted = 0;
        while (accepted < 20_000 && link.send(new byte[1_000])) {
            accepted++;
        }

        Waiting.get(a.links().close(Duration.ofSeconds(20)));

        assertThat(link.send(new byte[1])).isFalse();
        Link ofB = b.frames().getFirst().link();
        b.awaitDown(ofB);
        assertThat(b.frameCount()).isEqualTo(accepted);
    }

    @Test
    void closesAllTheSameWhenPeerDoesNotRead() {
        TestNode a = node("a", 1);
        TestNode b = node("b", 1);
        TestNode.connect(a, b);
        b.pauseReading();
        Link link = a.awaitLink(b.id);
        TestNode.fill(link, MEBIBYTE);

        Waiting.get(a.links().close(Duration.ofMillis(200)));

        assertThat(a.isDown(link)).isTrue();
    }

    private TestNode node(String name, long incarnation) {
        return add(new TestNode(name, incarnation));
    }

    private TestNode add(TestNode node) {
        nodes.add(node);
        return node;
    }

    /** Is never told anything. */
    private static final class TestReceiver implements LinkReceiver {
        @Override
        public void onUp(Link link) {}

        @Override
        public void onFrame(Link link, byte[] frame) {}

        @Override
        public void onDown(Link link) {}
    }
}
