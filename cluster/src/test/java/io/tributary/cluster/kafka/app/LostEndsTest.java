package io.tributary.cluster.kafka.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.persistence.app.AppTopics.Page;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class LostEndsTest {
    private static final TopicPartition PARTITION = new TopicPartition("test.app.erp", 0);
    private static final String CLIENT = "erp";

    private final LostEnds lostEnds = new LostEnds();

    @Test
    void clientThatWasFurtherIsToldUntilItReadsFromWhereThePartitionIsIntact() {
        assertThat(lostEnds.tell(PARTITION, read(0))).isFalse();
        lostEnds.reached(PARTITION, CLIENT, 10);
        lostEnds.lost(PARTITION, 5);
        assertIsTold(10, 5);
        assertIsTold(10, 5);
        assertThat(lostEnds.tell(PARTITION, read(5))).isFalse();
        lostEnds.reached(PARTITION, CLIENT, 12);
        assertThat(lostEnds.tell(PARTITION, read(12))).isFalse();
    }

    /** It was taken out of what was read ahead, and is given to the client a moment later. */
    @Test
    void clientIsToldWhenAPageIsUnderWayWhileThePartitionLosesItsEnd() {
        assertThat(lostEnds.tell(PARTITION, read(0))).isFalse();
        lostEnds.lost(PARTITION, 5);
        lostEnds.reached(PARTITION, CLIENT, 10);
        assertIsTold(10, 5);
    }

    @Test
    void clientThatDidNotGetSoFarIsNotTold() {
        assertThat(lostEnds.tell(PARTITION, read(0))).isFalse();
        lostEnds.lost(PARTITION, 5);
        lostEnds.reached(PARTITION, CLIENT, 5);
        assertThat(lostEnds.tell(PARTITION, read(5))).isFalse();
        lostEnds.reached(PARTITION, CLIENT, 10);
        assertThat(lostEnds.tell(PARTITION, read(10))).isFalse();
    }

    @Test
    void clientIsToldOnItsNextConnectionUnlessItHadNotGotSoFar() {
        assertThat(lostEnds.tell(PARTITION, read(0))).isFalse();
        lostEnds.lost(PARTITION, 5);
        lostEnds.release(PARTITION, CLIENT);
        assertThat(lostEnds.tell(PARTITION, read(5))).isFalse();
        lostEnds.reached(PARTITION, CLIENT, 10);
        lostEnds.lost(PARTITION, 7);
        lostEnds.release(PARTITION, CLIENT);
        assertIsTold(10, 7);
    }

    private void assertIsTold(long from, long intact) {
        AppRead read = read(from);
        assertThat(lostEnds.tell(PARTITION, read)).isTrue();
        assertThat(read.answer()).isCompletedWithValue(new Page(List.of(), intact, intact));
    }

    private static AppRead read(long from) {
        return new AppRead(CLIENT, "id", from, 100, 1 << 20);
    }
}
