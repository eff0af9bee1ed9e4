package io.tributary.cluster.node;

import static io.tributary.cluster.node.SimNode.link;
import static io.tributary.cluster.node.SimNode.unlink;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.deployment.Loss;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Three simulated nodes with links, a node table, and a clock that the test moves. */
class CutOffTest {
    private static final Duration LOOK = Duration.ofMillis(50);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofMinutes(2);

    private final ManualTimer timer = new ManualTimer();
    private final SharedLog log = new SharedLog(timer);
    /** What each node has found out first. */
    private final Map<SimNode, Loss> lost = new HashMap<>();

    private final List<SimNode> nodes = new ArrayList<>();
    private SimNode a;
    private SimNode b;
    private SimNode c;

    @BeforeEach
    void start() {
        a = SimNode.live("a", log, timer);
        b = SimNode.live("b", log, timer);
        c = SimNode.live("c", log, timer);
        link(a, b);
        link(b, c);
        link(a, c);
        nodes.addAll(List.of(a, b, c));
        pass(Duration.ofSeconds(5));
    }

    @Test
    void letsGoBeforeItIsDeclaredDeadWhenItAloneCannotReachKafka() {
        c.view.cutOff();
        while (lost.isEmpty()) {
            pass(LOOK);
            assertThat(a.told).doesNotContain("gone " + c.id());
        }
        assertThat(lost).containsOnlyKeys(c);
        assertThat(lost.get(c)).isEqualTo(new Loss("it cannot reach Kafka, and others can", false));
        pass(SECOND.multipliedBy(3));
        assertThat(a.told).contains("gone " + c.id());
        pass(LONG);
        assertThat(lost).containsOnlyKeys(c);
    }

    @Test
    void nobodyLetsGoWhenNobodyReachesKafka() {
        nodes.forEach(node -> node.view.cutOff());
        pass(LONG);
        nodes.forEach(node -> {
            node.view.reconnect();
            pass(SECOND);
        });
        pass(LONG);
        assertThat(lost).isEmpty();
        assertThat(nodes).allMatch(node -> node.told.stream().noneMatch(told -> told.startsWith("gone")));
    }

    @Test
    void goesOnWhenItIsBackInTime() {
        for (int i = 0; i < 5; i++) {
            c.view.cutOff();
            pass(SECOND.multipliedBy(3));
            c.view.reconnect();
            pass(SECOND.multipliedBy(3));
        }
        assertThat(lost).isEmpty();
    }

    @Test
    void whatItIsToldOfAPauseDoesNotCount() {
        c.view.cutOff();
        pass(SECOND.multipliedBy(4)); // in truth nobody looks while the process stands still
        lost.clear();
        c.view.reconnect();
        c.cutOff.paused();
        pass(LONG);
        assertThat(lost).isEmpty();
    }

    @Test
    void letsGoAfterAWhileWhenItReachesNeitherKafkaNorANode() {
        unlink(c, a);
        unlink(c, b);
        c.view.cutOff();
        pass(Duration.ofSeconds(29));
        assertThat(lost).isEmpty();
        pass(Duration.ofSeconds(3));
        assertThat(lost).containsOnlyKeys(c);
        assertThat(lost.get(c)).isEqualTo(new Loss("it can reach neither Kafka nor a, b", false));
    }

    /** Both say that they do not read their heartbeats, but there is one that they cannot ask. */
    @Test
    void twoLetGoTogetherWhenTheyReachEachOtherAlone() {
        unlink(c, a);
        unlink(b, a);
        c.view.cutOff();
        b.view.cutOff();
        pass(Duration.ofSeconds(32));
        assertThat(lost).containsOnlyKeys(b, c);
        assertThat(a.told).contains("gone " + b.id(), "gone " + c.id());
    }

    @Test
    void theGreaterNameGivesWayWhenTwoCannotReachEachOther() {
        unlink(a, b);
        pass(Duration.ofSeconds(4));
        assertThat(lost).isEmpty();
        pass(LONG);
        assertThat(lost).containsOnlyKeys(b);
        assertThat(lost.get(b)).isEqualTo(new Loss("it cannot reach a", true));
    }

    @Test
    void whoHasFewerLinksGivesWay() {
        unlink(a, b);
        unlink(a, c);
        pass(LONG);
        assertThat(lost).containsOnlyKeys(a);
        assertThat(lost.get(a)).isEqualTo(new Loss("it cannot reach b, c", true));
    }

    @Test
    void nobodyGivesWayWhenALinkIsBackInTime() {
        for (int i = 0; i < 10; i++) {
            unlink(a, b);
            pass(SECOND.multipliedBy(4));
            link(a, b);
            pass(SECOND);
        }
        assertThat(lost).isEmpty();
    }

    @Test
    void nobodyGivesWayToANodeThatIsDead() {
        unlink(a, b);
        unlink(a, c);
        a.kill();
        nodes.remove(a);
        pass(LONG);
        assertThat(lost).isEmpty();
    }

    @Test
    void servesNobodyUntilItReachesThoseThatServe() {
        SimNode d = new SimNode("0", 1, log, timer);
        assertThat(d.join()).isCompleted();
        nodes.add(d);
        link(d, b);
        link(d, c);
        pass(LONG);
        assertThat(d.cutOff.mayServe()).isFalse();
        assertThat(d.cutOff.obstacles()).isEqualTo("a");
        assertThat(lost).doesNotContainKeys(a, b, c);
        link(d, a);
        pass(SECOND);
        assertThat(d.cutOff.mayServe()).as("the link may break again").isFalse();
        pass(Duration.ofSeconds(10));
        assertThat(d.cutOff.mayServe()).isTrue();
        assertThat(d.cutOff.obstacles()).isEmpty();
    }

    @Test
    void servesAtOnceWhenTheLinksAreMade() {
        SimNode d = new SimNode("0", 1, log, timer);
        nodes.add(d);
        pass(LOOK);
        assertThat(d.cutOff.mayServe()).as("it has not joined").isFalse();
        assertThat(d.join()).isCompleted();
        pass(LOOK);
        assertThat(d.cutOff.mayServe()).isFalse();
        List.of(a, b, c).forEach(node -> link(node, d));
        pass(LOOK);
        assertThat(d.cutOff.mayServe()).isTrue();
    }

    private void pass(Duration time) {
        for (Duration passed = Duration.ZERO; passed.compareTo(time) < 0; passed = passed.plus(LOOK)) {
            timer.pass(LOOK);
            for (SimNode node : nodes) {
                Loss loss = node.cutOff.look();
                if (loss != null) {
                    lost.putIfAbsent(node, loss);
                }
            }
        }
    }
}
