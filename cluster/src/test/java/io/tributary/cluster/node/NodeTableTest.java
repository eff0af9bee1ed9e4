package io.tributary.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.cluster.link.NodeId;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two to five simulated nodes with one node table and a clock that the test moves. */
class NodeTableTest {
    private static final Duration MOMENT = Duration.ofMillis(10);
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final ManualTimer timer = new ManualTimer();
    private final SharedLog log = new SharedLog(timer);

    @Test
    void knowsTheOthersWhenNodesJoin() {
        SimNode a = SimNode.live("a", log, timer);
        SimNode b = SimNode.live("b", log, timer);
        assertThat(a.told).containsExactly("alive " + b.id() + " at host-of-b:7000", "live " + b.id());
        assertThat(b.told).containsExactly("alive " + a.id() + " at host-of-a:7000", "live " + a.id());
        assertThat(a.table.alive())
                .containsOnlyKeys(a.id(), b.id())
                .containsEntry(b.id(), InetSocketAddress.createUnresolved("host-of-b", 7000));
        timer.pass(Duration.ofMinutes(1));
        assertThat(a.told).hasSize(2);
        assertThat(log.recordsOf("a")).hasSizeBetween(60, 64);
        assertThat(a.toldMillis)
                .as("the time of the latest heartbeat")
                .isEqualTo(b.toldMillis)
                .isBetween(120L, 128L);
    }

    @Test
    void saysWhoJoinsBeforeItServesWhenANodeJoins() {
        SimNode a = SimNode.live("a", log, timer);
        SimNode b = new SimNode("b", 1, log, timer);
        assertThat(a.told).isEmpty();
        assertThat(b.join()).isCompleted();
        assertThat(a.told).containsExactly("alive " + b.id() + " at host-of-b:7000");
        CompletableFuture<?> live = b.table.live().toCompletableFuture();
        assertThat(live).isNotDone();
        timer.pass(MOMENT);
        assertThat(live).isCompleted();
        assertThat(a.told).hasSize(2).contains("live " + b.id());
    }

    @Test
    void refusesToStartWhenTheNameIsInUse() {
        SimNode a = SimNode.live("a", log, timer);
        timer.pass(SECOND);
        SimNode second = new SimNode("a", 1, log, timer);
        timer.pass(NodeTableConfig.DEFAULT.watch());
        assertThat(second.opened).isCompletedExceptionally();
        assertThatThrownBy(second.opened::join)
                .cause()
                .isInstanceOf(NodeNameInUseException.class)
                .hasMessage("a node named 'a' is up already (" + a.id()
                        + " at host-of-a:7000): every node of a cluster needs a name of its own");
        assertThat(a.told).isEmpty();
    }

    @Test
    void takesOverAfterALookWhenTheEarlierProcessWasKilledJustNow() {
        SimNode other = SimNode.live("b", log, timer);
        SimNode killed = SimNode.live("a", log, timer);
        killed.kill();
        other.told.clear();
        SimNode next = new SimNode("a", 1, log, timer);
        assertThat(next.opened).isNotDone();
        timer.pass(NodeTableConfig.DEFAULT.watch());
        assertThat(next.id().incarnation()).isGreaterThan(killed.id().incarnation());
        assertThat(next.join()).isCompleted();
        assertThat(other.told).containsExactly("gone " + killed.id(), "alive " + next.id() + " at host-of-a:7000");
        assertThat(next.told).contains("gone " + killed.id()).doesNotContain("declared dead");
        assertThat(other.table.isDead(killed.id().toString())).isTrue();
        assertThat(other.table.isDead(next.id().toString())).isFalse();
    }

    @Test
    void takesOverAtOnceWhenTheEarlierProcessIsLongSilent() {
        SimNode killed = SimNode.live("a", log, timer);
        killed.kill();
        timer.pass(NodeTableConfig.DEFAULT.silence().plus(SECOND));
        SimNode next = new SimNode("a", 1, log, timer);
        assertThat(next.opened).isCompleted();
        assertThat(next.id().incarnation()).isGreaterThan(killed.id().incarnation());
    }

    @Test
    void takesOverAtOnceWhenTheEarlierProcessHasLeft() {
        SimNode other = SimNode.live("b", log, timer);
        SimNode left = SimNode.live("a", log, timer);
        other.told.clear();
        left.table.leaving();
        timer.pass(MOMENT);
        assertThat(other.told).isEmpty();
        CompletableFuture<?> leave = left.table.leave().toCompletableFuture();
        timer.pass(MOMENT);
        assertThat(leave).isCompleted();
        assertThat(other.told).containsExactly("gone " + left.id());
        assertThat(left.told).doesNotContain("declared dead");
        assertThat(other.table.alive()).containsOnlyKeys(other.id());

        int records = log.recordsOf("a").size();
        timer.pass(SECOND.multipliedBy(3));
        assertThat(log.recordsOf("a")).hasSize(records);
        assertThat(new SimNode("a", 1, log, timer).opened).isCompleted();
    }

    @Test
    void oneWinsWhenTwoProcessesOfANameJoinAtOnce() {
        SimNode first = new SimNode("a", 1, log, timer);
        SimNode second = new SimNode("a", 1, log, timer);
        CompletableFuture<?> one = first.table
                .join(first.id(), InetSocketAddress.createUnresolved("one", 1))
                .toCompletableFuture();
        CompletableFuture<?> two = second.table
                .join(second.id(), InetSocketAddress.createUnresolved("two", 2))
                .toCompletableFuture();
        timer.pass(MOMENT);
        boolean firstIsNewer = first.id().incarnation() > second.id().incarnation();
        CompletableFuture<?> newer = firstIsNewer ? one : two;
        CompletableFuture<?> older = firstIsNewer ? two : one;
        assertThat(newer).isCompleted();
        assertThatThrownBy(older::join).hasCauseInstanceOf(NodeNameInUseException.class);
        assertThat(first.told).doesNotContain("declared dead");
        assertThat(second.told).doesNotContain("declared dead");
    }

    /** It was opened first, and joins when the record of the other one is already there. */
    @ParameterizedTest
    @ValueSource(ints = {0, 10, 1000})
    void olderOfTwoProcessesOfANameIsToldWhenItJoinsLater(int millis) {
        SimNode one = new SimNode("a", 1, log, timer);
        SimNode two = new SimNode("a", 1, log, timer);
        boolean isOneNewer = one.id().incarnation() > two.id().incarnation();
        SimNode newer = isOneNewer ? one : two;
        SimNode older = isOneNewer ? two : one;
        CompletableFuture<?> joined = newer.table
                .join(newer.id(), InetSocketAddress.createUnresolved("one", 1))
                .toCompletableFuture();
        timer.pass(Duration.ofMillis(millis));
        CompletableFuture<?> refused = older.table
                .join(older.id(), InetSocketAddress.createUnresolved("two", 2))
                .toCompletableFuture();
        timer.pass(SECOND);
        assertThat(joined).isCompleted();
        assertThatThrownBy(refused::join).hasCauseInstanceOf(NodeNameInUseException.class);
    }

    @Test
    void goesOnBeatingWhenHeartbeatWasAcknowledgedAndLost() {
        SimNode a = SimNode.live("a", log, timer);
        SimNode b = SimNode.live("b", log, timer);
        a.view.loseNext();
        timer.pass(Duration.ofSeconds(30));
        assertThat(a.told).doesNotContain("declared dead");
        assertThat(b.told).noneMatch(told -> told.startsWith("gone"));
        assertThat(a.table.isCurrent(Duration.ofSeconds(5))).isTrue();
    }

    @Test
    void isDeclaredDeadOnceWhenSilent() {
        SimNode a = SimNode.live("a", log, timer);
        SimNode b = SimNode.live("b", log, timer);
        SimNode c = SimNode.live("c", log, timer);
        timer.pass(SECOND);
        List.of(a, b).forEach(node -> node.told.clear());
        c.kill();
        timer.pass(Duration.ofSeconds(4));
        assertThat(a.told).isEmpty();
        timer.pass(Duration.ofSeconds(3));
        assertThat(a.told).containsExactly("gone " + c.id());
        assertThat(b.told).containsExactly("gone " + c.id());
        timer.pass(Duration.ofSeconds(30));
        assertThat(log.recordsOf("c"))
                .filteredOn(node -> node.state() == NodeState.DEAD)
                .hasSize(1);
        assertThat(a.told).hasSize(1);
    }

    /** Whoever of the others owns which shard. */
    @Test
    void isDeclaredDeadByWhoeverIsLeft() {
        SimNode a = SimNode.live("a", log, timer);
        SimNode b = SimNode.live("b", log, timer);
        SimNode c = SimNode.live("c", log, timer);
        timer.pass(SECOND);
        a.kill();
        timer.pass(Duration.ofSeconds(7));
        assertThat(b.told).containsOnlyOnce("gone " + a.id());
        assertThat(c.told).containsOnlyOnce("gone " + a.id());
        b.kill();
        timer.pass(Duration.ofSeconds(7));
        assertThat(c.told).containsOnlyOnce("gone " + b.id());
        assertThat(log.recordsOf("a"))
                .filteredOn(node -> node.state() == NodeState.DEAD)
                .hasSize(1);
    }

    /** Its heartbeats come, but it reads nothing. */
    @Test
    void isDeclaredDeadByTheNextWhenTheFirstCannotJudge() {
        SimNode first = SimNode.live("a", log, timer);
        SimNode next = SimNode.live("b", log, timer);
        SimNode last = SimNode.live("c", log, timer);
        SimNode dead = SimNode.live("d", log, timer);
        timer.pass(SECOND);
        dead.kill();
        timer.pass(SECOND.multipliedBy(3));
        first.view.deafen();
        timer.pass(SECOND.multipliedBy(4));
        assertThat(next.told).containsOnlyOnce("gone " + dead.id());
        assertThat(last.told).containsOnlyOnce("gone " + dead.id());
    }

    @Test
    void condemnsNobodyWhenItWasCutOffItself() {
        SimNode judge = SimNode.live("a", log, timer);
        SimNode b = SimNode.live("b", log, timer);
        timer.pass(SECOND);
        assertThat(judge.table.isCurrent(SECOND.multipliedBy(2))).isTrue();
        judge.view.cutOff();
        timer.pass(Duration.ofSeconds(60));
        assertThat(judge.table.isCurrent(SECOND.multipliedBy(2))).isFalse();
        judge.view.reconnect();
        timer.pass(Duration.ofSeconds(60));
        assertThat(judge.told).containsOnlyOnce("declared dead").noneMatch(told -> told.startsWith("gone"));
        assertThat(b.told).containsOnlyOnce("gone " + judge.id()).doesNotContain("declared dead");
    }

    @Test
    void condemnsNobodyWhenAllWereCutOffTogether() {
        SimNode judge = SimNode.live("a", log, timer);
        SimNode b = SimNode.live("b", log, timer);
        timer.pass(SECOND);
        judge.view.cutOff();
        b.view.cutOff();
        timer.pass(Duration.ofSeconds(60));
        judge.view.reconnect();
        timer.pass(Duration.ofSeconds(2));
        b.view.reconnect();
        timer.pass(Duration.ofSeconds(10));
        assertThat(judge.told).noneMatch(told -> told.startsWith("gone"));
    }

    @Test
    void doesNotCountWhenItsOwnHeartbeatsComeBackLate() {
        SimNode judge = SimNode.live("a", log, timer);
        SimNode b = SimNode.live("b", log, timer);
        timer.pass(SECOND);
        b.kill();
        for (int i = 0; i < 10; i++) {
            judge.view.deafen();
            timer.pass(Duration.ofSeconds(4));
            judge.view.reconnect();
            timer.pass(MOMENT);
        }
        assertThat(judge.told).noneMatch(told -> told.startsWith("gone"));
        timer.pass(Duration.ofSeconds(7));
        assertThat(judge.told).contains("gone " + b.id());
    }

    @Test
    void learnsItWhenADeadNodeComesBack() {
        SimNode judge = SimNode.live("a", log, timer);
        SimNode paused = SimNode.live("b", log, timer);
        timer.pass(SECOND);
        paused.view.cutOff();
        timer.pass(Duration.ofSeconds(10));
        assertThat(judge.told).contains("gone " + paused.id());
        assertThat(paused.told).doesNotContain("declared dead");
        paused.view.reconnect();
        timer.pass(Duration.ofSeconds(10));
        assertThat(paused.told).containsOnlyOnce("declared dead");
        assertThat(judge.told).containsOnlyOnce("gone " + paused.id()).hasSize(3);
        assertThat(log.recordsOf("b").getLast().state()).as("repaired").isEqualTo(NodeState.DEAD);

        paused.kill();
        SimNode next = SimNode.live("b", log, timer);
        assertThat(judge.told).endsWith("alive " + next.id() + " at host-of-b:7000", "live " + next.id());
        assertThat(judge.table.isDead(paused.id().toString())).isTrue();
        assertThat(judge.table.isDead(next.id().toString())).isFalse();
    }

    @Test
    void learnsItWhenItWasReplaced() {
        SimNode a = SimNode.live("a", log, timer);
        a.view.cutOff();
        timer.pass(Duration.ofSeconds(10));
        SimNode next = SimNode.live("a", log, timer);
        a.view.reconnect();
        timer.pass(Duration.ofSeconds(3));
        assertThat(a.told).containsOnlyOnce("declared dead");
        assertThat(next.told).doesNotContain("declared dead");
        assertThat(log.recordsOf("a").getLast().incarnation())
                .isEqualTo(next.id().incarnation());
    }

    @Test
    void triesAgainWhenAVerdictIsNotWritten() {
        SimNode judge = SimNode.live("a", log, timer);
        SimNode b = SimNode.live("b", log, timer);
        timer.pass(SECOND);
        b.kill();
        timer.pass(Duration.ofMillis(4_990));
        judge.view.failWith(new IllegalStateException("busy"));
        timer.pass(SECOND);
        judge.view.failWith(null);
        assertThat(judge.told).doesNotContain("gone " + b.id());
        timer.pass(Duration.ofSeconds(5));
        assertThat(judge.told).containsOnlyOnce("gone " + b.id());
    }

    @Test
    void judgesEachOnceWhenSeveralOfFiveDie() {
        List<SimNode> nodes = List.of("a", "b", "c", "d", "e").stream()
                .map(name -> SimNode.live(name, log, timer))
                .toList();
        timer.pass(SECOND);
        nodes.get(3).kill();
        nodes.get(4).kill();
        timer.pass(Duration.ofSeconds(20));
        for (SimNode node : nodes.subList(0, 3)) {
            assertThat(node.told.stream().filter(told -> told.startsWith("gone")))
                    .containsExactlyInAnyOrder(
                            "gone " + nodes.get(3).id(), "gone " + nodes.get(4).id());
            assertThat(node.table.alive()).hasSize(3);
        }
    }

    @Test
    void allUnknownAreDeadWhenAsked() {
        SimNode a = SimNode.live("a", log, timer);
        assertThat(a.table.isDead(a.id().toString())).isFalse();
        assertThat(a.table.isDead(new NodeId("a", a.id().incarnation() - 1).toString()))
                .isTrue();
        assertThat(a.table.isDead(new NodeId("a", a.id().incarnation() + 1).toString()))
                .isFalse();
        assertThat(List.of("b#1", "a", "", "a#", "a#x", "#", "a#99999999999999999999"))
                .allMatch(a.table::isDead);
    }

    @Test
    void writesTheFormatThatAllLiveNodesRead() {
        SimNode old = live("old", 1);
        SimNode a = live("a", 3);
        SimNode b = live("b", 2);
        timer.pass(Duration.ofMinutes(1));
        assertThat(List.of(old, a, b)).allMatch(node -> node.format.toWrite() == 1);
        old.table.leave();
        timer.pass(SECOND.multipliedBy(2));
        assertThat(List.of(a, b)).allMatch(node -> node.format.toWrite() == 2);
        b.kill();
        timer.pass(SECOND.multipliedBy(20));
        assertThat(a.format.toWrite()).isEqualTo(3);
    }

    @Test
    void writesANewerFormatOnlyWhenItsWordOfThatIsInTheTable() {
        SimNode old = live("old", 1);
        SimNode a = live("a", 2);
        a.view.cutOff();
        old.table.leave();
        timer.pass(MOMENT);
        a.view.reconnect();
        a.view.deafen(); // the word is written, and may have come behind that of an old node
        timer.pass(SECOND.multipliedBy(3));
        assertThat(a.format.toWrite()).isEqualTo(1);
        SimNode late = new SimNode("late", 1, log, timer);
        a.view.reconnect();
        timer.pass(SECOND.multipliedBy(3));
        assertThat(late.opened).isCompleted();
        assertThat(late.join()).isCompletedExceptionally();
        assertThat(a.format.toWrite()).isEqualTo(2);
    }

    @Test
    void keepsToTheOldFormatWhenAnOldNodeHasJoinedBeforeTheWordIsRead() {
        SimNode a = new SimNode("a", 2, log, timer);
        SimNode old = new SimNode("old", 1, log, timer);
        a.view.deafen();
        assertThat(old.join()).isCompleted();
        CompletableFuture<?> joined = a.join();
        a.view.reconnect();
        timer.pass(SECOND.multipliedBy(3));
        assertThat(joined).isCompleted();
        assertThat(a.format.toWrite()).isEqualTo(1);
    }

    @Test
    void refusesToStartWhenTheClusterHasWrittenANewerFormat() {
        SimNode a = live("a", 2);
        timer.pass(SECOND.multipliedBy(2));
        a.table.leave(); // the whole cluster is stopped, and its name used again
        timer.pass(MOMENT);
        for (String name : List.of("a", "b")) {
            assertThatThrownBy(new SimNode(name, 1, log, timer).opened::join)
                    .cause()
                    .isInstanceOf(NodeTooOldException.class)
                    .hasMessage(
                            "the nodes of this cluster write records of format 2, and this version reads formats up to 1:"
                                    + " start the version that the other nodes run, or a newer one");
        }
        SimNode again = live("a", 2);
        assertThat(again.format.toWrite()).isEqualTo(2);
    }

    @Test
    void writesWhatWasWrittenBeforeUntilTheUpgradeIsFinishedWhenOnHold() {
        List<SimNode> old = List.of(live("a", 2), live("b", 2));
        timer.pass(SECOND.multipliedBy(2));
        old.forEach(node -> node.table.leave());
        timer.pass(MOMENT);
        SimNode a = live("a", 3, Formats.HOLD);
        SimNode b = live("b", 3, Formats.HOLD);
        SimNode hasty = live("c", 3); // one on hold is enough
        timer.pass(Duration.ofMinutes(1));
        assertThat(List.of(a, b, hasty)).allMatch(node -> node.format.toWrite() == 2);
        assertThat(isOnHold(a)).isTrue();
        assertThat(isOnHold(hasty)).isFalse();

        b.table.leave();
        timer.pass(MOMENT);
        SimNode back = live("b", 2);
        timer.pass(SECOND.multipliedBy(2));
        assertThat(back.format.toWrite()).isEqualTo(2);
        back.table.leave();
        SimNode again = live("b", 3, Formats.HOLD);

        CompletableFuture<?> finished = a.table.finishUpgrade().toCompletableFuture();
        timer.pass(SECOND.multipliedBy(5));
        assertThat(finished).isCompleted();
        assertThat(List.of(a, again, hasty)).allMatch(node -> node.format.toWrite() == 3);
        assertThat(isOnHold(a)).isFalse();
        assertTooOld(new SimNode("d", 2, log, timer));
    }

    @Test
    void refusesTheVersionBeforeWhenTheUpgradeIsFinishedButNothingNewerIsWrittenYet() {
        SimNode old = live("old", 2);
        timer.pass(SECOND.multipliedBy(2));
        SimNode a = live("a", 3, Formats.HOLD);
        a.table.finishUpgrade();
        timer.pass(SECOND.multipliedBy(5));
        assertThat(a.format.toWrite()).isEqualTo(2); // the node of the version before goes on
        SimNode onHold = live("b", 4, Formats.HOLD);
        assertTooOld(new SimNode("c", 2, log, timer));
        old.table.leave();
        timer.pass(SECOND.multipliedBy(5));
        assertThat(List.of(a, onHold)).allMatch(node -> node.format.toWrite() == 3);
        assertThat(isOnHold(onHold)).isTrue(); // what was finished is the version before its own
    }

    @Test
    void writesTheNewestFormatWhenANewClusterIsOnHold() {
        List<SimNode> nodes = List.of(live("a", 3, Formats.HOLD), live("b", 3, Formats.HOLD));
        timer.pass(SECOND.multipliedBy(3));
        assertThat(nodes).allMatch(node -> node.format.toWrite() == 3 && !isOnHold(node));
    }

    /** Whether the node keeps the cluster from a format that it reads itself; it must say so as it does so. */
    private static boolean isOnHold(SimNode node) {
        NodeRecord own = node.table.own();
        boolean isHeld = own != null && own.format() < node.format.newest();
        assertThat(node.table.holdsFormats()).isEqualTo(isHeld);
        return isHeld;
    }

    /** What the command that changes shards goes by, when no node runs. */
    @Test
    void newestWrittenIsThatOfTheTableWhoeverIsOver() {
        live("old", 2).table.leave();
        timer.pass(MOMENT);
        SimNode onHold = live("a", 3, Formats.HOLD);
        timer.pass(SECOND.multipliedBy(3));
        assertThat(NodeTable.newestWritten(log.latest())).isEqualTo(2);
        CompletableFuture<?> finished = onHold.table.finishUpgrade().toCompletableFuture();
        timer.pass(MOMENT);
        assertThat(finished).isCompleted();
        assertThat(NodeTable.newestWritten(log.latest())).isEqualTo(3);
    }

    private static void assertTooOld(SimNode node) {
        assertThatThrownBy(node.opened::join).cause().isInstanceOf(NodeTooOldException.class);
    }

    private SimNode live(String name, int newestFormat) {
        return live(name, newestFormat, Formats.AUTOMATIC);
    }

    private SimNode live(String name, int newestFormat, Formats formats) {
        SimNode node = new SimNode(name, newestFormat, formats, log, timer);
        assertThat(node.join()).isCompleted();
        node.table.live();
        timer.pass(MOMENT);
        return node;
    }

    @Test
    void goesOnWhenTheTableHasRecordsItCannotRead() {
        SimNode a = SimNode.live("a", log, timer);
        log.append("b", new byte[] {99, 1, 2});
        log.append(
                "not#a name",
                NodeRecordCodec.encode(new NodeRecord(1, "h", 1, 1, 1, NodeState.LIVE, 0, 0, 0, ShardPart.NONE)));
        log.append("a", null);
        timer.pass(MOMENT);
        assertThat(a.told).isEmpty();
        assertThat(a.table.alive()).containsOnlyKeys(a.id());
        SimNode b = new SimNode("b", 1, log, timer);
        timer.pass(SECOND.multipliedBy(4)); // looks whether more of them come
        assertThat(b.opened).isCompleted();
        assertThat(b.join()).isCompleted();
        assertThat(a.table.alive()).containsOnlyKeys(a.id(), b.id());
    }

    @Test
    void refusesToStartWhenANodeIsUpWhoseRecordsItCannotRead() {
        log.append("b", new byte[] {99, 1});
        SimNode a = new SimNode("a", 1, log, timer);
        timer.pass(MOMENT);
        assertThat(a.opened).isNotDone();
        log.append("b", new byte[] {99, 2});
        log.append("b", new byte[] {99, 3});
        timer.pass(SECOND.multipliedBy(4));
        assertThat(a.opened).isDone();
        assertThatThrownBy(a.opened::join)
                .cause()
                .isInstanceOf(NodeTooOldException.class)
                .hasMessage(
                        "node b is up, and writes records of the node table that this version cannot read: start the"
                                + " version that the other nodes run, or a newer one");
    }

    @Test
    void leavesAgainWhenANodeJoinsMeanwhileWhoseRecordsItCannotRead() {
        SimNode a = new SimNode("a", 1, log, timer);
        log.append("b", new byte[] {99, 1});
        log.append("b", new byte[] {99, 2});
        CompletableFuture<?> joined = a.join();
        assertThat(joined).isDone();
        assertThatThrownBy(joined::join).cause().isInstanceOf(NodeTooOldException.class);
        timer.pass(MOMENT);
        assertThat(a.table.alive()).isEmpty();
    }

    @Test
    void startsAfterAWhileWhenANodeIsOverWhoseRecordsItCannotRead() {
        log.append("b", new byte[] {99, 1});
        SimNode a = new SimNode("a", 1, log, timer);
        timer.pass(SECOND.multipliedBy(4));
        assertThat(a.opened).isCompleted();
        assertThat(a.join()).isCompleted();
    }

    @Test
    void refusesWhenStatesGoBack() {
        SimNode a = SimNode.live("a", log, timer);
        assertThat(a.table.live().toCompletableFuture()).isCompletedExceptionally();
        a.table.stop();
        assertThat(a.table.leave().toCompletableFuture()).isCompletedExceptionally();
        int records = log.recordsOf("a").size();
        timer.pass(Duration.ofSeconds(5));
        assertThat(log.recordsOf("a")).hasSize(records);
    }
}
