package io.tributary.cluster.kafka.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cluster.kafka.KafkaRecorder;
import io.tributary.persistence.app.AppTopics.Page;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class OwnFeedTest {
    private static final TopicPartition PARTITION = new TopicPartition("prefix.app.erp", 0);

    private final OwnFeed feed = new OwnFeed(PARTITION, "erp", new ReadAhead(1 << 20), KafkaRecorder.NONE, _ -> {});

    /** What was written behind the lost end would not be read up to the old place. */
    @Test
    void readerIsToldFromWhereItsTopicIsAnotherOneUntilItGoesBackThere() {
        feed.identify("topic");
        AppRead waiting = read(1000);
        assertThat(feed.read(waiting)).isTrue();
        assertThat(feed.hasLostEnd(new LogTruncationException(
                        Map.of(PARTITION, 1000L), Map.of(PARTITION, new OffsetAndMetadata(900)))))
                .isTrue();
        assertThat(waiting.answer()).isCompletedWithValue(new Page(List.of(), 900, 900));
        AppRead again = read(1000);
        assertThat(feed.read(again)).isFalse();
        assertThat(feed.tellLostEnd(again)).isTrue();
        assertThat(again.answer()).isCompletedWithValue(new Page(List.of(), 900, 900));
        assertThat(feed.tellLostEnd(read(900))).isFalse();
    }

    @Test
    void feedGoesOnWhenNothingIsKnownToBeLost() {
        AppRead waiting = read(1000);
        assertThat(feed.read(waiting)).isTrue();
        assertThat(feed.hasLostEnd(new OffsetOutOfRangeException(Map.of(PARTITION, 1000L))))
                .isFalse();
        assertThat(feed.hasEnded()).isFalse();
        assertThat(waiting.answer()).isNotDone();
    }

    private static AppRead read(long from) {
        return new AppRead("erp", "topic", from, 10, 1000);
    }
}
