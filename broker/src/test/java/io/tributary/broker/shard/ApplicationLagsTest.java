package io.tributary.broker.shard;

import static io.tributary.broker.shard.fold.Samples.FOREVER;
import static io.tributary.broker.shard.fold.Samples.NODE;
import static io.tributary.broker.shard.fold.Samples.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.shard.QueueLimits.Overflow;
import io.tributary.broker.shard.fold.Samples;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.ShardEvent.Attach;
import io.tributary.common.event.ShardEvent.TopicFound;
import io.tributary.common.mqtt.QoS;
import io.tributary.persistence.app.AppTopics.AppTopic;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is said of how far applications are behind. */
class ApplicationLagsTest {
    private static final AppTopic TOPIC = new AppTopic("erp", false);

    private final DeliveryFixture shard = DeliveryFixture.of(8, 100, Overflow.DROP_OLDEST);
    private final List<String> said = new ArrayList<>();
    private final List<Double> bytes = new ArrayList<>();
    private final ApplicationLags lags = new ApplicationLags(
            shard.state,
            shard.topics,
            Runnable::run,
            shard.topicStats,
            new ShardRecorder() {
                @Override
                public void lag(String clientId, ApplicationLag lag) {
                    said.add(clientId + ": " + lag.messages() + " for " + lag.ageMillis());
                    bytes.add(lag.bytes());
                }

                @Override
                public void lagUnknown(String clientId) {
                    said.add(clientId + ": unknown");
                }
            },
            client -> said.add(client.clientId() + " has no topic"),
            client -> said.add(client.clientId() + " has another topic"));

    private long nowMillis = 1_000_000;

    @BeforeEach
    void attach() {
        shard.topics.create(TOPIC);
        long session = shard.fold(new Attach(
                "erp", NODE, 7, false, FOREVER, 10, ClientKind.APPLICATION, null, Principal.ANONYMOUS, false));
        shard.fold(new TopicFound(0, "erp", session, "t1", 0, 1));
        shard.deliveries.tick(); // what was read before is read again
    }

    @Test
    void tellOfATopicThatIsGoneOrAnotherOne() {
        append(5);
        shard.topics.delete(TOPIC);
        after(10_000);
        assertThat(said).containsExactly("erp has no topic");
        shard.topics.create(TOPIC);
        after(10_000);
        assertThat(said).containsExactly("erp has no topic", "erp has another topic");
    }

    @Test
    void sayHowManyAndForHowLong() {
        after(0);
        append(5);
        after(10_000);
        append(2);
        after(10_000);
        after(10_000);
        shard.settle("erp", 1, 2, 3, 4, 5);
        shard.log();
        after(10_000);
        shard.settle("erp", 6, 7);
        shard.log();
        after(10_000);
        assertThat(said)
                .containsExactly(
                        "erp: 0 for 0",
                        "erp: 5 for 0",
                        "erp: 7 for 10000",
                        "erp: 7 for 20000",
                        "erp: 2 for 20000",
                        "erp: 0 for 0");
    }

    @Test
    void sizesAreThoseOfWhatWasReadLast() {
        after(0);
        append(3);
        after(10_000);
        double each = (double) message("m").sizeBytes();
        assertThat(bytes).hasSize(2).first().isEqualTo(0.0);
        assertThat(bytes.getLast()).isEqualTo(3 * each);
    }

    @Test
    void countWhatIsAcknowledgedOutOfOrder() {
        append(5);
        shard.settle("erp", 2, 4);
        shard.log();
        after(0);
        assertThat(said).containsExactly("erp: 3 for 0");
    }

    @Test
    void agesStayRightWhenThereHasBeenALagForLong() {
        append(1);
        int times = 500;
        for (int i = 0; i <= times; i++) {
            after(10_000);
            append(1);
        }
        assertThat(said.getLast()).isEqualTo("erp: " + (times + 1) + " for " + times * 10_000);
    }

    @Test
    void endWithTheSessionAndTheOwner() {
        after(0);
        shard.fold(Samples.detach("erp", 1, false, 0));
        after(10_000);
        assertThat(said).containsExactly("erp: 0 for 0", "erp: unknown");
        lags.stop();
        assertThat(said).hasSize(2);
    }

    private void after(long millis) {
        nowMillis += millis;
        lags.tick(nowMillis);
    }

    private void append(int messages) {
        long session = shard.client("erp").session();
        for (int i = 0; i < messages; i++) {
            Recipient to =
                    new Recipient("erp", session, QoS.AT_LEAST_ONCE, false, List.of(), null, ClientKind.APPLICATION);
            shard.topics.append(TOPIC, message("m"), to, null, (_, _) -> {});
        }
    }
}
