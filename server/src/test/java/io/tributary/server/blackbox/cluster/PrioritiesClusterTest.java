package io.tributary.server.blackbox.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.blackbox.Scratch;
import io.tributary.server.blackbox.PriorityDevice;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages of all priorities wait in Redis, and a node is killed while their clients take them. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class PrioritiesClusterTest {
    private static final int MESSAGES = 200;
    private static final int DEVICES = 6;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Of some of the devices the shard moves, of others not: there are as many shards as that takes. */
    @Test
    void messagesComeByPriorityAndNoneIsLostWhenANodeIsKilled() throws IOException {
        try (TestCluster cluster = TestCluster.in(Scratch.folder("priorities"))
                .nodes(2)
                .setting("--tributary.priorities.user-property=" + PriorityDevice.PROPERTY)
                .start()) {
            cluster.awaitShardsSpread(PATIENCE);
            new Probe(cluster).await(List.copyOf(cluster.nodes()), PATIENCE);
            int kept = cluster.node("n1").tcpPort();
            List<PriorityDevice> devices = new ArrayList<>();
            for (int i = 0; i < DEVICES; i++) {
                PriorityDevice device = new PriorityDevice(kept, "urgent-" + i);
                device.publish(cluster.node("n2").tcpPort(), 0, MESSAGES);
                device.takeUntil(kept, MESSAGES / 3, PATIENCE, () -> {});
                devices.add(device);
            }
            for (PriorityDevice device : devices) {
                boolean isFirst = device == devices.getFirst();
                device.takeUntil(kept, MESSAGES, PATIENCE, isFirst ? () -> cluster.kill("n2") : () -> {});
            }
            for (PriorityDevice device : devices) {
                assertThat(device.firsts()).hasSize(MESSAGES);
                assertThat(device.firsts().subList(0, MESSAGES / 3))
                        .isEqualTo(PriorityDevice.byPriority(MESSAGES).subList(0, MESSAGES / 3));
                for (int priority = 0; priority < 4; priority++) {
                    assertThat(device.numbersOf(priority)).isEqualTo(numbersFrom(priority));
                }
                assertThat(device.twice()).isEmpty();
            }
        }
    }

    private static List<Integer> numbersFrom(int priority) {
        return IntStream.range(0, MESSAGES)
                .filter(i -> i % 4 == priority)
                .boxed()
                .toList();
    }
}
