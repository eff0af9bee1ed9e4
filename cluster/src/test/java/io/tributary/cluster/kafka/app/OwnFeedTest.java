package io.tributary.cluster.kafka.app;

import static io.tributary.persistence.contract.Waiting.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cluster.kafka.KafkaRecorder;
import io.tributary.persistence.app.AppTopics.Page;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class OwnFeedTest {
    private static final TopicPartition PARTITION = new TopicPartition("prefix.app.erp", 0);

    private final OwnFeed feed =
            new OwnFeed(PARTITION, "erp", new LostEnds(), new ReadAhead(1 << 20), KafkaRecorder.NONE, _ -> {});

    @Test
    void feedGoesOnWhenNothingIsKnownToBeLost() {
        AppRead waiting = read(1000);
        assertThat(feed.read(waiting)).isTrue();
        assertThat(feed.hasLostEnd(new OffsetOutOfRangeException(Map.of(PARTITION, 1000L))))
                .isFalse();
        assertThat(feed.hasEnded()).isFalse();
        assertThat(waiting.answer()).isNotDone();
    }

    /** A transaction of another program ended there; else the application would never be at the end of its topic. */
    @Test
    void readGoesOnBehindPositionsWithoutARecord() {
        feed.identify("topic");
        AppRead waiting = read(5);
        feed.read(waiting);
        feed.takeSeek();
        feed.take(List.of(), 6);
        assertThat(get(waiting.answer())).isEqualTo(new Page(List.of(), 5, 6));
    }

    private static AppRead read(long from) {
        return new AppRead("erp", "topic", from, 10, 1000);
    }
}
