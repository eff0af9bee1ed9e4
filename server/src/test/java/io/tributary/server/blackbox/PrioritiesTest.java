package io.tributary.server.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.blackbox.Scratch;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What waits for a client goes by its priority, also when the broker is killed and its clients break off. */
class PrioritiesTest {
    private static final int MESSAGES = 400;
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final List<String> SETTINGS =
            List.of("--tributary.priorities.user-property=" + PriorityDevice.PROPERTY);

    @Test
    void messagesComeByPriorityWhenBrokerIsKilledAndClientBreaksOff() throws IOException {
        try (BrokerProcess broker = BrokerProcess.start(Scratch.folder("priorities"), List.of(), SETTINGS)) {
            PriorityDevice device = new PriorityDevice(broker.tcpPort(), "urgent");
            device.publish(broker.tcpPort(), 0, MESSAGES);
            broker.kill();
            broker.start();
            for (int taken : new int[] {37, 90, 150, 151}) {
                device.takeUntil(broker.tcpPort(), taken, PATIENCE, () -> {});
            }
            broker.kill();
            broker.start();
            device.takeUntil(broker.tcpPort(), MESSAGES, PATIENCE, () -> {});
            assertThat(device.firsts()).isEqualTo(PriorityDevice.byPriority(MESSAGES));
            assertThat(device.twice()).isEmpty();
        }
    }
}
