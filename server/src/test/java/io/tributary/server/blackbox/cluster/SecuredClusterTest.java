package io.tributary.server.blackbox.cluster;

import io.tributary.broker.blackbox.Scratch;
import io.tributary.server.blackbox.BrokerExtension;
import java.io.IOException;
import java.nio.file.Files;
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
 * A cluster of three nodes whose users are objects of its API, for tests that would take as long to start one each as
 * they take: of tenants' limits, then of users. In this order, for the second ones kill a node.
 */
@ExtendWith(BrokerExtension.class)
@Timeout(value = 6, unit = TimeUnit.MINUTES)
@TestClassOrder(ClassOrderer.OrderAnnotation.class)
class SecuredClusterTest {
    static TestCluster cluster;
    static String token;

    @BeforeAll
    static void start() throws IOException {
        cluster = TestCluster.in(Scratch.folder("secured-cluster"))
                .setting("--tributary.listeners.tcp.authentication=devices")
                .setting("--tributary.security.authenticators.devices.kind=store")
                .start();
        token = Files.readString(cluster.tokenFile());
        cluster.awaitShardsSpread(Duration.ofMinutes(1));
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Nested
    @Order(1)
    class LimitsOfTenantsTest extends LimitsOfTenants {}

    @Nested
    @Order(2)
    class UsersTest extends UsersOfACluster {}
}
