package io.tributary.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.cluster.link.NodeId;
import io.tributary.cluster.node.NodeMessage.MapProgress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Two to five simulated nodes that tell each other how far they are, over links that take a millisecond. */
class ClusterVisibilityTest {
    private static final String MAP = "subscriptions";
    private static final Duration MOMENT = Duration.ofMillis(10);
    private static final Duration LEAVE_OUT = VisibilityConfig.DEFAULT.leaveOut();
    private static final long HOP_NANOS = Duration.ofMillis(1).toNanos();

    private final ManualTimer timer = new ManualTimer();
    private final Map<NodeId, Node> nodes = new HashMap<>();

    /** One node. */
    private final class Node implements VisibilityListener {
        private final NodeId id;
        private final ClusterVisibility visibility;
        private final List<String> told = new ArrayList<>();
        private long position;
        private long promised;
        private int sent;
        private boolean mute;

        Node(String name, VisibilityConfig config) {
            id = new NodeId(name, 1);
            visibility = new ClusterVisibility(Set.of(MAP, "nodes"), config, timer, this);
        }

        @Override
        public void send(Collection<NodeId> to, MapProgress progress) {
            sent++;
            if (!mute) {
                to.forEach(node -> timer.after(HOP_NANOS, () -> deliver(node, id, progress)));
            }
        }

        @Override
        public void onBehind(boolean behind) {
            told.add(behind ? "behind" : "caught up");
        }

        @Override
        public void onLeftOut(NodeId node, String map) {
            told.add("left out " + node);
        }

        @Override
        public void onRefused(String map) {
            told.add("refused");
        }

        /** Notes the position when all have it, as far as this node waits for them. */
        void promise(long newPosition) {
            CompletableFuture<?> _ = everywhere(newPosition).thenRun(() -> promised = Math.max(promised, newPosition));
        }

        CompletableFuture<?> everywhere(long position) {
            return visibility.everywhere(MAP, position).toCompletableFuture();
        }

        void reached(long newPosition) {
            position = newPosition;
            visibility.reached(MAP, newPosition);
        }
    }

    private void deliver(NodeId to, NodeId from, MapProgress progress) {
        Node node = nodes.get(to);
        if (node != null) {
            node.visibility.received(from, progress);
        }
    }

    private Node add(String name) {
        return add(name, VisibilityConfig.DEFAULT);
    }

    /** A node that is linked with all and serves. */
    private Node add(String name, VisibilityConfig config) {
        Node added = new Node(name, config);
        for (Node other : nodes.values()) {
            link(other, added);
            other.visibility.live(added.id);
            added.visibility.live(other.id);
        }
        nodes.put(added.id, added);
        return added;
    }

    private static void link(Node one, Node other) {
        one.visibility.linkUp(other.id);
        other.visibility.linkUp(one.id);
    }

    @Test
    void waitsForNobodyWhenAlone() {
        Node a = add("a");
        a.reached(5);
        assertThat(a.everywhere(5)).isCompleted();
        CompletableFuture<?> further = a.everywhere(6);
        assertThat(further).isNotDone();
        a.reached(6);
        assertThat(further).isCompleted();
    }

    @Test
    void waitsForAllWhenOthersAreLive() {
        Node a = add("a");
        Node b = add("b");
        Node c = add("c");
        a.reached(8);
        CompletableFuture<?> done = a.everywhere(8);
        b.reached(9);
        c.reached(7);
        timer.pass(MOMENT);
        assertThat(done).isNotDone();
        c.reached(8);
        timer.pass(MOMENT);
        assertThat(done).isCompleted();
        assertThat(a.told).isEmpty();
    }

    @Test
    void leavesOutWhenANodeIsSlow() {
        Node a = add("a");
        Node b = add("b");
        Node slow = add("c");
        a.reached(8);
        b.reached(8);
        CompletableFuture<?> done = a.everywhere(8);
        timer.pass(LEAVE_OUT.minus(MOMENT));
        assertThat(done).isNotDone();
        assertThat(slow.visibility.isBehind())
                .as("notices before it is left out")
                .isTrue();
        timer.pass(Duration.ofMillis(100));
        assertThat(done).isCompleted();
        assertThat(a.told).containsExactly("left out " + slow.id);

        a.reached(9);
        b.reached(9);
        timer.pass(MOMENT);
        assertThat(a.everywhere(9)).as("left out by all waits").isCompleted();

        slow.reached(9);
        assertThat(slow.visibility.isBehind()).isTrue();
        timer.pass(MOMENT.multipliedBy(2));
        a.reached(10);
        b.reached(10);
        timer.pass(MOMENT);
        CompletableFuture<?> next = a.everywhere(10);
        assertThat(next).as("waited for again").isNotDone();
        slow.reached(10);
        timer.pass(Duration.ofMillis(500));
        assertThat(next).isCompleted();
        assertThat(slow.visibility.isBehind()).isFalse();
        assertThat(slow.told).containsExactly("behind", "caught up");
        assertThat(b.told).isEmpty();
        assertThat(a.told).hasSize(1);
    }

    @Test
    void staysLeftOutWhenItNeverCatchesUp() {
        Node a = add("a");
        Node slow = add("b");
        a.reached(100);
        CompletableFuture<?> first = a.everywhere(100);
        timer.pass(LEAVE_OUT.plus(MOMENT.multipliedBy(10)));
        assertThat(first).isCompleted();
        for (long i = 1; i <= 20; i++) {
            a.reached(100 + 100 * i);
            slow.reached(50 * i);
            timer.pass(LEAVE_OUT.plus(MOMENT));
            assertThat(a.everywhere(100 + 100 * i)).isCompleted();
            assertThat(slow.visibility.isBehind()).isTrue();
        }
        assertThat(a.told).hasSize(1);
    }

    /** The promise behind a SUBACK: whoever was left out knows that it is behind. */
    @Test
    void knowsThatItIsBehindWheneverItWasLeftOut() {
        for (int delayMillis = 700; delayMillis <= 1_400; delayMillis += 7) {
            nodes.clear();
            Node a = add("a" + delayMillis);
            Node slow = add("b" + delayMillis);
            for (int i = 1; i <= 60; i++) {
                int position = i;
                a.reached(position);
                a.promise(position);
                timer.after(Duration.ofMillis(delayMillis).toNanos(), () -> slow.reached(position));
                for (int step = 0; step < 10; step++) {
                    timer.pass(Duration.ofMillis(11));
                    long reached = slow.visibility.isBehind() ? Long.MAX_VALUE : slow.position;
                    assertThat(reached).isGreaterThanOrEqualTo(a.promised);
                }
            }
            a.visibility.close();
            slow.visibility.close();
        }
    }

    /**
     * The same with a node that stands still for up to one and a half seconds now and then, and one that writes too.
     */
    @Test
    void knowsThatItIsBehindWheneverItWasLeftOutAtRandom() {
        for (int seed = 1; seed <= 60; seed++) {
            Random random = new Random(seed);
            nodes.clear();
            Node a = add("a" + seed);
            Node slow = add("b" + seed);
            long stalledMillis = 0;
            for (int millis = 1; millis <= 12_000; millis++) {
                if (random.nextInt(10) == 0) {
                    a.reached(a.position + 1);
                    a.promise(a.position);
                }
                stalledMillis = random.nextInt(700) == 0 ? random.nextInt(1_500) : stalledMillis - 1;
                if (stalledMillis <= 0 && random.nextInt(3) == 0) {
                    slow.reached(a.position);
                }
                timer.pass(Duration.ofMillis(1));
                assertThat(slow.visibility.isBehind() || slow.position >= a.promised)
                        .as("seed %d at %d ms", seed, millis)
                        .isTrue();
            }
            a.visibility.close();
            slow.visibility.close();
        }
    }

    @Test
    void isHeldUpNoLongerWhenANodeDies() {
        Node a = add("a");
        Node b = add("b");
        a.reached(8);
        CompletableFuture<?> done = a.everywhere(8);
        a.visibility.linkDown(b.id);
        timer.pass(MOMENT);
        assertThat(done).isNotDone();
        a.visibility.gone(b.id);
        assertThat(done).isCompleted();
        assertThat(a.told).isEmpty();
    }

    @Test
    void isWaitedForFromWhenItIsLiveWhenANodeJoins() {
        Node a = add("a");
        a.reached(8);
        Node joining = new Node("b", VisibilityConfig.DEFAULT);
        nodes.put(joining.id, joining);
        joining.reached(3);
        link(a, joining);
        timer.pass(MOMENT);
        assertThat(a.everywhere(8)).isCompleted();

        a.visibility.live(joining.id);
        assertThat(a.everywhere(3)).as("was told when the link was there").isCompleted();
        CompletableFuture<?> done = a.everywhere(8);
        assertThat(done).isNotDone();
        joining.reached(8);
        timer.pass(MOMENT);
        assertThat(done).isCompleted();
    }

    /** All records of a map are lost: the nodes begin anew, one after the other, as new processes. */
    @Test
    void nobodyStaysBehindWhatNobodyHasAnyMoreWhenAMapGoesBack() {
        Node a = add("a");
        a.reached(1_000);
        Node b = add("b");
        timer.pass(LEAVE_OUT);
        assertThat(b.visibility.isBehind()).isTrue();
        end(a);
        Node again = add("a again");
        assertThat(b.visibility.ask()).isTrue();
        assertThat(b.visibility.ask()).as("one question at a time").isFalse();
        b.visibility.asked(true);
        b.reached(5);
        again.reached(5);
        timer.pass(LEAVE_OUT);
        assertThat(b.visibility.isBehind()).isFalse();
        assertThat(again.visibility.isBehind()).isFalse();
        assertThat(b.everywhere(5)).isCompleted();
        assertThat(b.visibility.ask()).isFalse();
        timer.pass(LEAVE_OUT);
        assertThat(b.told).containsExactly("behind", "caught up");
        assertThat(again.told).isEmpty();
    }

    /** It may have answered a SUBACK without this node. */
    @Test
    void staysBehindANodeThatIsGoneUntilItHasAllThatKafkaHas() {
        Node a = add("a");
        Node b = add("b");
        Node c = add("c");
        a.reached(1_000);
        c.reached(1_000);
        timer.pass(LEAVE_OUT);
        end(a);
        assertThat(b.visibility.ask()).isTrue();
        c.reached(2_000);
        timer.pass(MOMENT);
        end(c); // after the question: its answer says nothing of that
        b.visibility.asked(true);
        timer.pass(LEAVE_OUT);
        assertThat(b.visibility.isBehind()).isTrue();
        assertThat(b.visibility.ask()).isTrue();
        b.visibility.asked(false);
        timer.pass(LEAVE_OUT);
        assertThat(b.visibility.isBehind()).isTrue();
        b.reached(2_000);
        timer.pass(LEAVE_OUT);
        assertThat(b.visibility.isBehind()).isFalse();
        assertThat(b.visibility.ask()).isFalse();
    }

    private void end(Node node) {
        nodes.remove(node.id);
        node.visibility.close();
        for (Node other : nodes.values()) {
            other.visibility.linkDown(node.id);
            other.visibility.gone(node.id);
        }
    }

    @Test
    void learnsItAnywayWhenAMessageIsLost() {
        Node a = add("a");
        Node b = add("b");
        a.reached(8);
        b.mute = true;
        b.reached(8);
        CompletableFuture<?> done = a.everywhere(8);
        timer.pass(MOMENT);
        b.mute = false;
        assertThat(done).isNotDone();
        timer.pass(VisibilityConfig.DEFAULT.repeat());
        assertThat(done).isCompleted();
    }

    @Test
    void sendsOneMessageWhenProgressComesFast() {
        Node a = add("a");
        Node b = add("b");
        timer.pass(MOMENT);
        a.sent = 0;
        for (int i = 1; i <= 500; i++) {
            a.reached(i);
        }
        timer.pass(MOMENT);
        assertThat(a.sent).isEqualTo(2);
        b.reached(500);
        assertThat(b.everywhere(500)).isCompleted();
    }

    @Test
    void completesAllWhenManyWait() {
        Node a = add("a");
        Node b = add("b");
        a.reached(5_000);
        List<CompletableFuture<?>> waits = new ArrayList<>();
        for (int i = 5_000; i > 0; i--) {
            waits.add(a.everywhere(i));
        }
        b.reached(2_500);
        timer.pass(MOMENT);
        assertThat(waits.stream().filter(CompletableFuture::isDone)).hasSize(2_500);
        b.reached(5_000);
        timer.pass(MOMENT);
        assertThat(waits).allMatch(CompletableFuture::isDone);
    }

    @Test
    void refusesWhenTooManyWait() {
        VisibilityConfig few =
                new VisibilityConfig(LEAVE_OUT, Duration.ofMillis(100), Duration.ZERO, Duration.ofSeconds(1), 3);
        Node a = add("a", few);
        add("b", few);
        List<CompletableFuture<?>> waits = LongStream.range(1, 4)
                .<CompletableFuture<?>>mapToObj(a::everywhere)
                .toList();
        CompletableFuture<?> refused = a.everywhere(4);
        assertThatThrownBy(refused::join)
                .hasCauseInstanceOf(IllegalStateException.class)
                .hasMessageContaining("too many writes wait for other nodes");
        assertThat(a.told).containsExactly("refused");
        timer.pass(LEAVE_OUT.plus(MOMENT.multipliedBy(10)));
        assertThat(waits).allMatch(CompletableFuture::isDone);
        assertThat(a.everywhere(4)).isNotDone();
    }

    @Test
    void failsWhatWaitsWhenItIsClosed() {
        Node a = add("a");
        add("b");
        CompletableFuture<?> done = a.everywhere(1);
        a.visibility.close();
        assertThat(done).isCompletedExceptionally();
        assertThat(a.everywhere(1)).isCompletedExceptionally();
    }

    @Test
    void ignoresWhatStrangersSayWhenTheyAreNotKnown() {
        Node a = add("a");
        add("b");
        a.visibility.received(new NodeId("x", 1), new MapProgress(MAP, 1_000));
        a.visibility.received(new NodeId("b", 1), new MapProgress("no such map", 1_000));
        timer.pass(Duration.ofSeconds(3));
        assertThat(a.visibility.isBehind()).isFalse();
        assertThatThrownBy(() -> a.visibility.reached("no such map", 1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void goesOnWhenFiveNodesAreEquallyFast() {
        List<Node> five =
                List.of("a", "b", "c", "d", "e").stream().map(this::add).toList();
        for (int i = 1; i <= 300; i++) {
            long position = i;
            five.forEach(node -> node.reached(position));
            CompletableFuture<?> done = five.get(i % 5).everywhere(position);
            timer.pass(MOMENT);
            assertThat(done).isCompleted();
        }
        assertThat(five).allMatch(node -> node.told.isEmpty());
    }
}
