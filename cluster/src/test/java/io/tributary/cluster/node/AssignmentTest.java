package io.tributary.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cluster.link.NodeId;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AssignmentTest {
    private static final int SHARDS = 24;
    private static final int PRIMARIES = 3;

    private final NodeId a = new NodeId("a", 1);
    private final NodeId b = new NodeId("b", 1);
    private final NodeId c = new NodeId("c", 1);

    @Test
    void firstNodeGetsAllAndTheOthersTheirShareOneByOne() {
        Assignment all = Assignment.none(SHARDS).next(List.of(b), List.of(b), List.of(), 2);
        assertThat(all.shardsOf(b)).hasSize(SHARDS);
        Assignment some = all.next(List.of(a, b), List.of(a, b), List.of(), 2);
        assertThat(some.shardsOf(a)).hasSize(2);
        assertThat(some.version()).isEqualTo(2);
        assertThat(settled(some, List.of(a, b)).shardsOf(a)).hasSize(SHARDS / 2);
    }

    @Test
    void balancedOneStays() {
        Assignment balanced = settled(Assignment.none(SHARDS), List.of(a, b, c));
        assertThat(balanced.next(List.of(a, b, c), List.of(a, b, c), List.of(), 2))
                .isSameAs(balanced);
    }

    /** Shards in a row are in one Redis primary, which would hand out all that a dead node leaves behind. */
    @ParameterizedTest
    @ValueSource(strings = {"b,bc,abc", "b,abc,ac,abc,ac,abc,ab,abc", "abc,ab,abc,ac,abc,bc,abc", "a,ab,abc,bc,abc"})
    void eachNodeHasShardsOfEachPrimary(String lives) {
        Assignment assignment = Assignment.none(SHARDS);
        for (String living : lives.split(",", -1)) {
            assignment = settled(
                    assignment,
                    IntStream.range(0, living.length())
                            .mapToObj(i -> List.of(a, b, c).get(living.charAt(i) - 'a'))
                            .toList());
        }
        for (NodeId node : List.of(a, b, c)) {
            int[] ofPrimaries = new int[PRIMARIES];
            assignment.shardsOf(node).forEach(shard -> ofPrimaries[shard * PRIMARIES / SHARDS]++);
            assertThat(Arrays.stream(ofPrimaries).boxed())
                    .as("shards of node %s of each primary", node)
                    .isSubsetOf(2, 3);
        }
    }

    /** A shard thread has shards in a row, see ShardDrivers. */
    @ParameterizedTest
    @ValueSource(ints = {24, 64, 128})
    void eachNodeHasShardsOfEachShardThread(int shards) {
        Assignment assignment = Assignment.none(shards);
        for (List<NodeId> living : List.of(List.of(a), List.of(a, b), List.of(a, b, c), List.of(b, c))) {
            assignment = settled(assignment, living);
            for (NodeId node : living) {
                Set<Integer> its = assignment.shardsOf(node);
                for (int threads : List.of(2, 3, 4, 6, 8)) {
                    int[] ofThreads = new int[threads];
                    its.forEach(shard -> ofThreads[shard * threads / shards]++);
                    assertThat(Arrays.stream(ofThreads).max().orElseThrow())
                            .as("%s of %d shards, %d threads: %s", living, shards, threads, Arrays.toString(ofThreads))
                            .isLessThanOrEqualTo(2 + its.size() / threads);
                }
            }
        }
    }

    @Test
    void mostShardsThatThereMayBeAreSharedOut() {
        Assignment assignment = Assignment.none(16_384);
        for (List<NodeId> living : List.of(List.of(a), List.of(a, b), List.of(b))) {
            assignment = settled(assignment, living);
        }
        assertThat(assignment.shardsOf(b)).hasSize(16_384);
    }

    private static Assignment settled(Assignment from, List<NodeId> nodes) {
        int moves = Math.max(2, from.owners().size() / 32);
        Assignment last = from;
        Assignment next = last.next(nodes, nodes, List.of(), moves);
        while (next.version() != last.version()) {
            last = next;
            next = last.next(nodes, nodes, List.of(), moves);
        }
        return last;
    }
}
