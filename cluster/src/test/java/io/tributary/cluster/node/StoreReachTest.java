package io.tributary.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cluster.link.NodeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Three nodes that tell each other how far they reach a store of six shards, and a clock that the test moves. */
class StoreReachTest {
    private static final int SHARDS = 6;
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofMinutes(1);

    private final ManualTimer timer = new ManualTimer();
    private final List<Node> nodes = List.of(new Node("a"), new Node("b"), new Node("c"));
    private final Node a = nodes.getFirst();

    @Test
    void ownsNoShardsWhileItAloneDoesNotReachTheStore() {
        pass(LONG);
        a.cut(0, 1, 2, 3, 4, 5);
        pass(Duration.ofSeconds(9));
        assertThat(a.owns).isTrue();
        pass(Duration.ofSeconds(9));
        assertThat(a.owns).isFalse();
        assertThat(a.reach.isCutOff()).isTrue();
        pass(LONG);
        a.heal();
        pass(Duration.ofSeconds(9));
        assertThat(a.owns).isTrue();
        assertThat(a.changes).isEqualTo(2);
        assertThat(nodes.subList(1, 3)).allMatch(node -> node.changes == 0);
    }

    @Test
    void ownsNoShardsWhenItDoesNotReachSomeOfTheStore() {
        a.cut(4);
        pass(LONG);
        assertThat(a.owns).isFalse();
    }

    @Test
    void nobodyLetsGoWhenTheStoreIsAwayForAll() {
        nodes.forEach(node -> node.cut(0, 1, 2, 3, 4, 5));
        pass(LONG);
        nodes.forEach(node -> {
            node.heal();
            pass(SECOND.multipliedBy(3));
        });
        pass(LONG);
        assertThat(nodes).allMatch(node -> node.changes == 0);
    }

    @Test
    void whoReachesLeastLetsGoWhenAPartIsAwayForAll() {
        nodes.forEach(node -> node.cut(2));
        pass(LONG);
        a.cut(0, 1);
        pass(LONG);
        assertThat(a.owns).isFalse();
        assertThat(nodes.subList(1, 3)).allMatch(node -> node.owns);
    }

    @Test
    void keepsItsShardsWhenTheStoreIsBackSoon() {
        for (int i = 0; i < 5; i++) {
            a.cut(0, 1, 2, 3, 4, 5);
            pass(SECOND.multipliedBy(6));
            a.heal();
            pass(SECOND.multipliedBy(6));
        }
        assertThat(a.changes).isZero();
    }

    @Test
    void ownsShardsWhenThereIsNobodyElse() {
        nodes.subList(1, 3).forEach(other -> a.reach.linkDown(other.id));
        nodes.subList(1, 3).forEach(other -> other.isGone = true);
        a.cut(0, 1, 2, 3, 4, 5);
        pass(LONG);
        assertThat(a.owns).isTrue();
    }

    @Test
    void asksForOneShardASecondWhileAllIsWell() {
        pass(Duration.ofSeconds(12));
        assertThat(a.asked).containsExactly(0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5);
        assertThat(a.told).isZero();
    }

    private void pass(Duration time) {
        for (long second = 0; second < time.toSeconds(); second++) {
            nodes.stream().filter(node -> !node.isGone).forEach(node -> node.reach.tick());
            timer.pass(SECOND);
        }
    }

    /** A node, and its way to the store, over which an answer may not come. */
    private final class Node {
        private final NodeId id;
        private final StoreReach reach;
        private final Set<Integer> cut = new HashSet<>();
        private final List<CompletableFuture<Object>> waiting = new ArrayList<>();
        private final List<Integer> asked = new ArrayList<>();
        private boolean owns = true;
        private boolean isGone;
        private int changes;
        private int told;

        Node(String name) {
            id = new NodeId(name, 1);
            reach = new StoreReach(timer, SHARDS, this::ask, this::tell, this::takePart);
        }

        /** The call fails after five seconds, as those of a client do that waits for no longer. */
        private CompletableFuture<Object> ask(int shard) {
            asked.add(shard);
            CompletableFuture<Object> answer = new CompletableFuture<>();
            if (cut.contains(shard)) {
                waiting.add(answer);
                timer.after(
                        Duration.ofSeconds(5).toNanos(),
                        () -> answer.completeExceptionally(new IllegalStateException("no answer")));
            } else {
                answer.complete("");
            }
            return answer;
        }

        private void tell(int missing) {
            told++;
            nodes.stream()
                    .filter(other -> other != this && !other.isGone)
                    .forEach(other -> other.reach.received(id, missing));
        }

        private void takePart(boolean wanted) {
            owns = wanted;
            changes++;
        }

        void cut(Integer... shards) {
            cut.addAll(List.of(shards));
        }

        void heal() {
            cut.clear();
            waiting.forEach(answer -> answer.complete(""));
            waiting.clear();
        }
    }
}
