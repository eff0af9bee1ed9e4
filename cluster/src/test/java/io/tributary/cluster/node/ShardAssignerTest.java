package io.tributary.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.cluster.link.NodeId;
import io.tributary.common.event.UnreadableRecordException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two to five simulated nodes that share out 12 shards by their node table. */
class ShardAssignerTest {
    private static final Duration MOMENT = Duration.ofMillis(10);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Set<Integer> ALL =
            new TreeSet<>(IntStream.range(0, SimNode.SHARDS).boxed().toList());

    private final ManualTimer timer = new ManualTimer();
    private final SharedLog log = new SharedLog(timer);

    @Test
    void firstNodeHasAllShardsWhenItIsAlone() {
        SimNode a = SimNode.owning("a", log, timer);
        assertThat(a.shards).isEqualTo(ALL);
    }

    @Test
    void nodeIsToldWhetherItIsTheOnlyOne() {
        SimNode a = SimNode.owning("a", log, timer);
        assertThat(a.told).containsOnlyOnce("is the only node");
        SimNode b = SimNode.owning("b", log, timer);
        timer.pass(MOMENT);
        assertThat(a.told).containsSubsequence("is the only node", "is not the only node");
        assertThat(b.told).doesNotContain("is the only node");
        b.kill();
        timer.pass(Duration.ofMinutes(1));
        assertThat(a.told).containsSubsequence("is the only node", "is not the only node", "is the only node");
    }

    @Test
    void shardsAreBalancedWhenNodesJoin() {
        List<SimNode> nodes = cluster("a", "b", "c");
        assertShared(nodes);
        assertThat(nodes).allSatisfy(node -> assertThat(node.shards).hasSize(4));
    }

    @Test
    void onlyItsShardsMoveAtOnceWhenAProcessRefusesConnections() {
        List<SimNode> nodes = cluster("a", "b", "c");
        SimNode killed = nodes.removeFirst();
        List<Set<Integer>> before = nodes.stream().map(node -> node.shards).toList();
        killed.kill();
        nodes.forEach(node -> node.table.shards().refused(killed.id()));
        timer.pass(MOMENT);
        assertShared(nodes);
        for (int i = 0; i < nodes.size(); i++) {
            assertThat(nodes.get(i).shards).containsAll(before.get(i)).hasSize(6);
            assertThat(nodes.get(i).told).doesNotContain("gone " + killed.id());
        }
    }

    @Test
    void shardsMoveWhenANodeIsSilentBeforeItIsDead() {
        List<SimNode> nodes = cluster("a", "b", "c");
        SimNode killed = nodes.removeLast();
        killed.kill();
        timer.pass(Duration.ofMillis(4500));
        assertShared(nodes);
        assertThat(nodes).allSatisfy(node -> assertThat(node.told).doesNotContain("gone " + killed.id()));
    }

    @Test
    void nodeOfTwoIsBelievedAlone() {
        List<SimNode> nodes = cluster("a", "b");
        SimNode killed = nodes.removeFirst();
        killed.kill();
        nodes.getFirst().table.shards().refused(killed.id());
        timer.pass(MOMENT);
        assertShared(nodes);
    }

    @Test
    void nothingMovesWhenOneNodeOfThreeSuspectsAnother() {
        List<SimNode> nodes = cluster("a", "b", "c");
        List<Set<Integer>> before = nodes.stream().map(node -> node.shards).toList();
        nodes.getFirst().table.shards().refused(nodes.getLast().id());
        timer.pass(SECOND);
        assertThat(nodes.stream().map(node -> node.shards).toList()).isEqualTo(before);
        assertThat(nodes.getLast().told).doesNotContain("suspected");
    }

    @Test
    void thirdNodeTakesAllShardsBeforeTheOthersAreDeadWhenTwoEndAtOnce() {
        List<SimNode> nodes = cluster("a", "b", "c");
        SimNode left = nodes.removeLast();
        nodes.forEach(SimNode::kill);
        nodes.forEach(killed -> left.table.shards().refused(killed.id()));
        timer.pass(Duration.ofMillis(3100));
        assertThat(left.shards).isEqualTo(ALL);
        assertThat(left.told).noneMatch(told -> told.startsWith("gone"));
    }

    @Test
    void nothingMovesWhenANodeIsRefusedByAllOthersAndHearsThem() {
        List<SimNode> nodes = cluster("a", "b", "c");
        SimNode apart = nodes.getFirst();
        List<Set<Integer>> before = nodes.stream().map(node -> node.shards).toList();
        for (int second = 0; second < 5; second++) {
            nodes.stream().skip(1).forEach(node -> apart.table.shards().refused(node.id()));
            timer.pass(SECOND);
            assertThat(nodes.stream().map(node -> node.shards).toList()).isEqualTo(before);
        }
    }

    @Test
    void getsShardsAgainAfterAWhileWhenItWasSuspectedWrongly() {
        List<SimNode> nodes = cluster("a", "b", "c");
        SimNode wronged = nodes.getFirst();
        nodes.stream().skip(1).forEach(node -> node.table.shards().refused(wronged.id()));
        timer.pass(SECOND);
        assertShared(nodes);
        assertThat(wronged.told).containsOnlyOnce("suspected");
        assertThat(wronged.shards).isEmpty();
        timer.pass(ShardAssigner.STEADY.minus(SECOND));
        assertThat(wronged.shards).as("not before it was steady").isEmpty();
        timer.pass(Duration.ofSeconds(8));
        assertShared(nodes);
        assertThat(wronged.shards).hasSize(4);
        assertThat(nodes).allSatisfy(node -> assertThat(node.told).noneMatch(told -> told.startsWith("gone")));
    }

    @Test
    void getsShardsAtOnceWhenItWasSlowToBeHeardWhileItJoined() {
        List<SimNode> nodes = cluster("a", "b");
        SimNode slow = SimNode.joining("c", log, timer);
        nodes.forEach(node -> node.table.shards().refused(slow.id()));
        slow.view.cutOff();
        timer.pass(Duration.ofMillis(4500));
        slow.view.reconnect();
        timer.pass(MOMENT);
        slow.takeShards();
        timer.pass(SECOND);
        assertThat(slow.told).doesNotContain("suspected");
        assertThat(slow.shards).hasSize(4);
    }

    @Test
    void nodeThatWasSuspectedOwnsShardsWhenThereIsNoOther() {
        List<SimNode> nodes = cluster("a", "b");
        SimNode wronged = nodes.getFirst();
        nodes.getLast().table.shards().refused(wronged.id());
        timer.pass(SECOND);
        assertThat(wronged.shards).isEmpty();
        nodes.getLast().kill();
        wronged.table.shards().refused(nodes.getLast().id());
        timer.pass(MOMENT);
        assertThat(wronged.shards).isEqualTo(ALL);
    }

    @Test
    void keepsItsShardsWhenItWasSuspectedAndAnotherNodeComesBack() {
        List<SimNode> nodes = cluster("a", "b");
        SimNode wronged = nodes.getFirst();
        nodes.getLast().table.shards().refused(wronged.id());
        timer.pass(SECOND);
        nodes.getLast().kill();
        wronged.table.shards().refused(nodes.getLast().id());
        timer.pass(MOMENT);
        assertThat(wronged.shards).isEqualTo(ALL);
        SimNode back = SimNode.owning("b", log, timer);
        timer.pass(SECOND.multipliedBy(5));
        assertThat(wronged.shards).as("those that it keeps").hasSize(6);
        assertThat(back.shards).hasSize(6);
    }

    @Test
    void shardsGoToOthersBeforeANodeIsGoneWhenItLeaves() {
        List<SimNode> nodes = cluster("a", "b", "c");
        SimNode leaving = nodes.removeFirst();
        leaving.table.leaving();
        timer.pass(SECOND);
        assertThat(leaving.shards).isEmpty();
        assertShared(nodes);
    }

    @Test
    void shardsGoOverAFewAtATimeWhenANodeLeaves() {
        List<SimNode> nodes = cluster("a", "b", "c", "d");
        SimNode leaving = nodes.removeFirst();
        leaving.letsGo = false;
        leaving.table.leaving();
        timer.pass(MOMENT);
        assertThat(leaving.shards).as("the next ones wait").hasSize(3 - ShardAssigner.MOVES);
        assertThat(nodes).allSatisfy(node -> assertThat(node.shards).hasSize(3));
        leaving.letsGo = true;
        leaving.letGo();
        timer.pass(MOMENT.multipliedBy(2));
        assertThat(leaving.shards).as("sooner than by the clock").isEmpty();
        assertShared(nodes);
    }

    @Test
    void nextNodeAssignsAtOnceWhenTheOneThatAssignsIsKilledAmidst() {
        List<SimNode> nodes = cluster("a", "b", "c");
        SimNode killed = nodes.removeFirst();
        nodes.getFirst().table.shards().takePart(false);
        killed.kill();
        nodes.forEach(node -> node.table.shards().refused(killed.id()));
        timer.pass(MOMENT.multipliedBy(5));
        assertThat(nodes.getLast().shards).isEqualTo(ALL);
    }

    @Test
    void allKeepTheirShardsWhenAllSuspectEachOther() {
        List<SimNode> nodes = cluster("a", "b");
        nodes.getFirst().table.shards().refused(nodes.getLast().id());
        nodes.getLast().table.shards().refused(nodes.getFirst().id());
        timer.pass(Duration.ofSeconds(10));
        assertShared(nodes);
        timer.pass(ShardAssigner.STEADY.plus(SECOND));
        assertShared(nodes);
        assertThat(nodes.getFirst().shards).hasSize(6);
    }

    @Test
    void shardIsNotBegunBeforeItIsLetGoOfWhenItMoves() {
        SimNode a = SimNode.owning("a", log, timer);
        a.letsGo = false;
        SimNode b = SimNode.owning("b", log, timer);
        timer.pass(MOMENT.multipliedBy(2));
        assertThat(a.shards).hasSize(SimNode.SHARDS - ShardAssigner.MOVES);
        assertThat(b.shards).isEmpty();
        a.letsGo = true;
        a.letGo();
        timer.pass(MOMENT.multipliedBy(5));
        assertThat(a.shards).hasSize(6);
        assertShared(List.of(a, b));
    }

    @Test
    void shardIsKeptUntilTheOtherNodeIsPrepared() {
        SimNode a = SimNode.owning("a", log, timer);
        SimNode b = unprepared("b");
        timer.pass(MOMENT.multipliedBy(2));
        assertThat(a.shards).as("those that b expects, too").isEqualTo(ALL);
        assertThat(b.told).containsOnlyOnce("expects 0", "expects 6");
        assertThat(a.told).containsOnlyOnce("leaves 0", "leaves 6");
        assertThat(b.shards).isEmpty();
        b.prepares = true;
        b.prepare();
        timer.pass(MOMENT.multipliedBy(5));
        assertThat(b.shards).hasSize(6);
        assertShared(List.of(a, b));
    }

    @Test
    void oneShardGoesOverWhileTheOtherNodeOfAnotherOnePrepares() {
        List<SimNode> nodes = cluster("a", "b", "c");
        SimNode leaving = nodes.getFirst();
        SimNode slow = nodes.getLast();
        slow.prepares = false;
        leaving.table.leaving();
        timer.pass(MOMENT.multipliedBy(3));
        assertThat(leaving.shards).as("one went to b, and that of c is kept").hasSize(3);
        assertThat(nodes.get(1).shards).hasSize(5);
        assertThat(slow.shards).hasSize(4);
        slow.prepares = true;
        slow.prepare();
        timer.pass(MOMENT.multipliedBy(10));
        assertThat(leaving.shards).isEmpty();
        assertShared(nodes);
    }

    @Test
    void shardIsServedOnWhenItComesBackFromANodeThatPrepares() {
        List<SimNode> nodes = cluster("a", "b");
        SimNode c = unprepared("c");
        timer.pass(MOMENT);
        List<Set<Integer>> before = nodes.stream().map(node -> node.shards).toList();
        c.table.shards().takePart(false);
        timer.pass(SECOND);
        assertThat(nodes.stream().map(node -> node.shards).toList()).isEqualTo(before);
        assertThat(c.shards).isEmpty();
        c.prepare();
        timer.pass(ShardAssigner.PREPARATION.plus(SECOND));
        assertShared(nodes);
    }

    @Test
    void shardIsLetGoOfAfterAWhileWhenTheOtherNodeIsNotPrepared() {
        SimNode a = SimNode.owning("a", log, timer);
        SimNode b = unprepared("b");
        timer.pass(ShardAssigner.PREPARATION.minus(MOMENT));
        assertThat(a.shards).isEqualTo(ALL);
        timer.pass(SECOND.plus(MOMENT));
        assertThat(b.shards).isNotEmpty();
        timer.pass(ShardAssigner.PREPARATION.plus(SECOND.multipliedBy(5)));
        assertThat(b.shards).hasSize(6);
        assertShared(List.of(a, b));
    }

    @Test
    void shardIsTakenAtOnceWhenTheNodeThatKeepsItIsGone() {
        SimNode a = SimNode.owning("a", log, timer);
        SimNode b = unprepared("b");
        timer.pass(MOMENT);
        a.kill();
        b.table.shards().refused(a.id());
        timer.pass(MOMENT);
        assertThat(b.shards).isEqualTo(ALL);
    }

    @Test
    void keepsNoShardWhenItIsTakenForGone() {
        List<SimNode> nodes = cluster("a", "b", "c");
        SimNode wronged = nodes.getFirst();
        nodes.forEach(node -> node.prepares = false);
        nodes.stream().skip(1).forEach(node -> node.table.shards().refused(wronged.id()));
        timer.pass(MOMENT.multipliedBy(2));
        assertThat(wronged.shards).isEmpty();
        assertShared(nodes);
    }

    @Test
    void shardGoesToAThirdNodeAtOnceWhenTheOneThatPreparesIsGone() {
        List<SimNode> nodes = cluster("a", "b");
        SimNode c = unprepared("c");
        timer.pass(MOMENT);
        c.kill();
        nodes.forEach(node -> node.table.shards().refused(c.id()));
        timer.pass(SECOND);
        assertShared(nodes);
        assertThat(nodes).allSatisfy(node -> assertThat(node.shards).hasSize(6));
    }

    @Test
    void nextShardsGoOverOnceThoseBeforeAreServed() {
        SimNode a = SimNode.owning("a", log, timer);
        a.unserved.addAll(ALL);
        SimNode b = SimNode.owning("b", log, timer);
        timer.pass(MOMENT.multipliedBy(5));
        assertThat(b.shards).hasSize(ShardAssigner.MOVES);
        a.unserved.removeAll(b.shards);
        a.table.shards().look();
        timer.pass(MOMENT.multipliedBy(5));
        assertThat(b.shards).hasSize(2 * ShardAssigner.MOVES);
        timer.pass(ShardAssigner.PACE.plus(SECOND));
        assertThat(b.shards).as("those before do not hold up the rest for long").hasSize(6);
        assertShared(List.of(a, b));
    }

    @Test
    void shardIsBegunAfterAWhileWhenItIsNotLetGoOf() {
        SimNode a = SimNode.owning("a", log, timer);
        a.letsGo = false;
        SimNode b = SimNode.owning("b", log, timer);
        timer.pass(ShardAssigner.PACE
                .multipliedBy(2)
                .plus(ShardAssigner.PREPARATION)
                .plus(ShardAssigner.PATIENCE)
                .plus(SECOND));
        assertThat(b.shards).hasSize(6);
        assertThat(a.shards).hasSize(6);
    }

    @Test
    void shardsGoToOthersWhenANodeTakesNoneAnyMore() {
        List<SimNode> nodes = cluster("a", "b", "c");
        nodes.getFirst().table.shards().takePart(false);
        timer.pass(SECOND);
        assertThat(nodes.getFirst().shards).isEmpty();
        assertShared(nodes);
        nodes.getFirst().table.shards().takePart(true);
        timer.pass(SECOND.multipliedBy(3));
        assertThat(nodes.getFirst().shards).hasSize(4);
        assertShared(nodes);
    }

    /** Whatever happens, after some quiet each shard has one node, and none has two more than another. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void allShardsAreSharedWhenNodesComeAndGoAtRandom(int seed) {
        Random random = new Random(seed);
        List<SimNode> nodes = cluster("a", "b", "c", "d", "e");
        for (int round = 0; round < 60; round++) {
            int which = random.nextInt(nodes.size());
            SimNode node = nodes.get(which);
            switch (random.nextInt(4)) {
                case 0 -> nodes.forEach(other -> other.table.shards().refused(node.id()));
                case 1 -> {
                    node.view.cutOff();
                    timer.pass(Duration.ofMillis(random.nextInt(4500)));
                    node.view.reconnect();
                }
                case 2 -> {
                    node.kill();
                    if (random.nextBoolean()) {
                        nodes.forEach(other -> other.table.shards().refused(node.id()));
                    }
                    timer.pass(Duration.ofMillis(random.nextInt(8000)));
                    nodes.set(which, SimNode.owning(node.id().name(), log, timer));
                }
                default -> node.table.shards().takePart(random.nextInt(3) > 0);
            }
            timer.pass(Duration.ofMillis(random.nextInt(3000)));
        }
        nodes.forEach(node -> node.table.shards().takePart(true));
        timer.pass(Duration.ofMinutes(2));
        assertShared(nodes);
        assertThat(nodes).allSatisfy(node -> assertThat(node.shards).hasSizeBetween(2, 3));
    }

    @Test
    void decodesWhatWasEncoded() {
        NodeId a = new NodeId("a", 3);
        Assignment assignment = new Assignment(7, Arrays.asList(a, null, new NodeId("b", 300), a));
        byte[] value = assignment.encode();
        assertThat(HexFormat.of().formatHex(value)).isEqualTo("0107020161030162ac020401000201");
        assertThat(Assignment.decode(value)).isEqualTo(assignment);
        for (int length = 0; length < value.length; length++) {
            byte[] cut = Arrays.copyOf(value, length);
            assertThatThrownBy(() -> Assignment.decode(cut)).isInstanceOf(UnreadableRecordException.class);
        }
    }

    /** A process that takes shards, and is not prepared for those that it expects. */
    private SimNode unprepared(String name) {
        SimNode node = SimNode.joining(name, log, timer);
        node.prepares = false;
        node.takeShards();
        return node;
    }

    private List<SimNode> cluster(String... names) {
        List<SimNode> nodes = new ArrayList<>();
        for (String name : names) {
            nodes.add(SimNode.owning(name, log, timer));
        }
        timer.pass(SECOND.multipliedBy(5));
        return nodes;
    }

    /** Each shard is one node's. */
    private static void assertShared(List<SimNode> nodes) {
        assertThat(nodes.stream().flatMap(node -> node.shards.stream()).toList())
                .containsExactlyInAnyOrderElementsOf(ALL);
    }
}
