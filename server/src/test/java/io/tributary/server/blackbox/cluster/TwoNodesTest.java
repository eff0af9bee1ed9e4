package io.tributary.server.blackbox.cluster;

import io.tributary.broker.blackbox.Scratch;
import io.tributary.server.blackbox.BrokerExtension;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.TestClassOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A cluster of two nodes for tests that would take as long to start one each as they take: of both nodes, then of one
 * that is left alone. In this order, for the second ones begin by stopping a node.
 */
@ExtendWith(BrokerExtension.class)
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@TestClassOrder(ClassOrderer.OrderAnnotation.class)
class TwoNodesTest {
    static TestCluster cluster;

    @BeforeAll
    static void start() {
        cluster = TestCluster.in(Scratch.folder("two-nodes"))
                .nodes(2)
                .setting("--tributary.applications.rules[0].client-id=app-*")
                .setting("--tributary.applications.rules[0].kind=application")
                .start();
        cluster.awaitShardsSpread(Duration.ofMinutes(1));
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Nested
    @Order(1)
    class KafkaHopsTest extends KafkaHops {}

    @Nested
    @Order(2)
    class SessionsOfTwoNodesTest extends SessionsOfTwoNodes {}

    @Nested
    @Order(3)
    class OnlyNodeTest extends OnlyNode {}
}
