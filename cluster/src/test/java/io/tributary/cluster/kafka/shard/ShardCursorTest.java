package io.tributary.cluster.kafka.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cluster.kafka.ShardMark;
import io.tributary.cluster.kafka.shard.AcknowledgedRecords.LeastEnd;
import io.tributary.cluster.kafka.shard.ShardCursor.Request;
import io.tributary.persistence.shard.LogRecord;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is handed out of a shard, early or not, and what is noticed when it is read back. */
class ShardCursorTest {
    private static final int LEADER = 3;
    private static final LeastEnd NOTHING = new LeastEnd(0, 0);

    private final ShardCursor cursor = new ShardCursor(new TopicPartition("shards", 0), _ -> {});

    @BeforeEach
    void readFromTen() {
        cursor.assign();
        request(10);
        cursor.moveTo(10);
        cursor.acknowledged().open();
    }

    @Test
    void acknowledgedRecordsAreTakenOnceWhenTheyComeNext() {
        acknowledged(10, 11);
        assertThat(takeEarly()).containsExactly(10L, 11L);
        assertThat(takeEarly()).isEmpty();
        assertThat(take(List.of(read(10), read(11), read(12)))).containsExactly(12L);
    }

    @Test
    void acknowledgedRecordsWaitWhenTheLogHasOthersBeforeThem() {
        acknowledged(10, 13);
        assertThat(takeEarly()).containsExactly(10L);
        assertThat(cursor.acknowledged().hasWaiting()).isTrue();
        assertThat(take(List.of(read(10), read(11)))).containsExactly(11L);
        assertThat(takeEarly()).isEmpty();
        assertThat(take(List.of(read(12), read(13)))).containsExactly(12L, 13L);
        acknowledged(14);
        assertThat(takeEarly()).containsExactly(14L);
        assertThat(cursor.acknowledged().hasWaiting()).isFalse();
    }

    @Test
    void recordIsLostWhenAnotherOneIsReadBack() {
        acknowledged(10, 11, 12);
        takeEarly();
        assertThat(cursor.readBack(List.of(read(10), record(11, "another")))).isEqualTo(11);
    }

    /** The record that the next owner appends there has a lower offset than the last one that was acknowledged. */
    @Test
    void recordsComeEarlyAgainOnceTheLogThatLostItsEndIsReadAnew() {
        acknowledged(10, 11, 12);
        takeEarly();
        cursor.stop();
        cursor.acknowledged().add(new LogRecord(11, LogRecord.NOT_READ_BACK, 0, new byte[1]), cursor.leastEnd());
        request(11);
        cursor.moveTo(12);
        cursor.acknowledged().open();
        assertThat(cursor.acknowledged().isOpen()).isTrue();
    }

    @Test
    void recordsComeEarlyAgainWhenARecordThatWasSentBeforeTheLossIsAcknowledgedBehindIt() {
        acknowledged(10, 11, 12);
        takeEarly();
        LeastEnd before = cursor.leastEnd();
        cursor.stop();
        cursor.acknowledged().add(new LogRecord(11, LogRecord.NOT_READ_BACK, 0, new byte[1]), before);
        request(11);
        cursor.moveTo(12);
        cursor.acknowledged().open();
        assertThat(cursor.acknowledged().isOpen()).isTrue();
    }

    @Test
    void recordIsLostWhenTheSameOneIsReadBackWithAnotherTime() {
        acknowledged(10);
        takeEarly();
        ConsumerRecord<byte[], byte[]> later = record(10, "r10", 999, LEADER);
        assertThat(cursor.readBack(List.of(later))).isEqualTo(10);
    }

    @Test
    void leaderIsKnownOfWhatWasReadBack() {
        acknowledged(10, 11, 12);
        takeEarly();
        assertThat(cursor.leaderEpochOf(11)).isEqualTo(LogRecord.NOT_READ_BACK);
        take(List.of(read(10), read(11)));
        assertThat(cursor.leaderEpochOf(11)).isEqualTo(LEADER);
        assertThat(cursor.leaderEpochOf(12)).isEqualTo(LogRecord.NOT_READ_BACK);
        take(List.of(record(12, "r12", 12, LEADER + 1)));
        assertThat(cursor.leaderEpochOf(12)).isEqualTo(LEADER + 1);
        assertThat(cursor.leaderEpochOf(11)).isEqualTo(LEADER);
    }

    @Test
    void leaderIsGivenUpWhenTheConsumerIsMoved() {
        acknowledged(10, 11);
        takeEarly();
        cursor.moveTo(50);
        assertThat(cursor.leaderEpochOf(11)).isEqualTo(LogRecord.NO_LEADER);
    }

    @Test
    void leaderIsGivenUpWhenNothingIsRead() {
        acknowledged(10);
        takeEarly();
        cursor.request(Request.pause());
        cursor.allowEarly();
        assertThat(cursor.leaderEpochOf(10)).isEqualTo(LogRecord.NO_LEADER);
    }

    /** The reader stepped back for want of room, and goes on with a record that it got and did not take. */
    @Test
    void recordsComeAgainAndAreReadBackWhenTheyAreAskedForAgain() {
        acknowledged(10, 11, 12);
        takeEarly();
        request(11);
        assertThat(cursor.goesOn(11)).isTrue();
        assertThat(takeEarly()).isEmpty();
        assertThat(take(List.of(read(10), read(11), read(12), read(13)))).containsExactly(11L, 12L, 13L);
        assertThat(cursor.goesOn(14)).isTrue();
    }

    @Test
    void consumerIsMovedWhenOtherRecordsAreAskedFor() {
        acknowledged(10, 11);
        takeEarly();
        assertThat(cursor.goesOn(9)).isFalse();
        assertThat(cursor.goesOn(12)).isTrue();
        assertThat(cursor.goesOn(13)).isFalse();
    }

    @Test
    void manyAreReadBackInPieces() {
        for (long offset = 10; offset < 1_010; offset++) {
            acknowledged(offset);
            takeEarly();
            if (offset % 3 == 0) {
                take(List.of(read(10 + (offset - 10) / 3)));
            }
        }
        assertThat(cursor.unread()).isEqualTo(667);
    }

    @Test
    void nothingComesEarlyWhenTheLogGoesOnBelowWhatItHad() {
        acknowledged(10, 11, 12);
        takeEarly();
        acknowledged(11, 12, 13);
        assertThat(takeEarly()).isEmpty();
        cursor.acknowledged().open();
        acknowledged(14);
        assertThat(takeEarly()).isEmpty();
        cursor.stop();
        request(11);
        cursor.moveTo(11);
        cursor.acknowledged().open();
        assertThat(take(List.of(read(11), read(12), read(13), read(14)))).containsExactly(11L, 12L, 13L, 14L);
        acknowledged(15);
        assertThat(takeEarly()).containsExactly(15L);
    }

    @Test
    void nothingComesEarlyWhenARecordComesBelowTheEndThatWasReadBeforeItWasSent() {
        assertThat(take(List.of(read(10), read(11), read(12)))).hasSize(3);
        LeastEnd least = cursor.leastEnd();
        LogRecord record = new LogRecord(11, LogRecord.NOT_READ_BACK, 0, bytes("another"));
        assertThat(cursor.acknowledged().add(record, least)).isTrue();
        acknowledged(13);
        assertThat(takeEarly()).isEmpty();
    }

    @Test
    void leaderIsThatOfTheRecordBeforeWhenReadingGoesOnBehindAnEarlyRecord() {
        acknowledged(10, 11, 12);
        takeEarly();
        take(List.of(read(10), read(11), read(12)));
        cursor.request(Request.readFrom(11, LogRecord.NOT_READ_BACK));
        cursor.takeRequest();
        assertThat(cursor.goesOn(11)).isFalse();
        assertThat(cursor.leaderEpochBefore()).contains(LEADER);
    }

    @Test
    void leadersOfTheLastTwoAreKnown() {
        take(List.of(read(10), read(11), record(12, "r12", 12, LEADER + 1), record(13, "r13", 13, LEADER + 1)));
        take(List.of(record(14, "r14", 14, LEADER + 2)));
        assertThat(cursor.leaderEpochOf(11)).isEqualTo(LogRecord.NO_LEADER);
        assertThat(cursor.leaderEpochOf(12)).isEqualTo(LEADER + 1);
        assertThat(cursor.leaderEpochOf(13)).isEqualTo(LEADER + 1);
        assertThat(cursor.leaderEpochOf(14)).isEqualTo(LEADER + 2);
    }

    @Test
    void nothingIsKeptWhenThereIsTooMuch() {
        for (long offset = 11; offset < 50; offset++) {
            cursor.acknowledged().add(new LogRecord(offset, 0, new byte[100_000]), NOTHING);
        }
        assertThat(cursor.acknowledged().isOpen()).isFalse();
        assertThat(cursor.acknowledged().hasWaiting()).isFalse();
    }

    private void request(long offset) {
        cursor.request(Request.readFrom(offset, LEADER));
        cursor.allowEarly();
        cursor.takeRequest();
    }

    private void acknowledged(long... offsets) {
        for (long offset : offsets) {
            cursor.acknowledged()
                    .add(new LogRecord(offset, LogRecord.NOT_READ_BACK, offset, bytes("r" + offset)), NOTHING);
        }
    }

    private List<Long> takeEarly() {
        List<LogRecord> records = cursor.takeAcknowledged();
        if (!records.isEmpty()) {
            cursor.handedOutEarly(records);
        }
        return offsets(records);
    }

    private List<Long> take(List<ConsumerRecord<byte[], byte[]>> polled) {
        assertThat(cursor.readBack(polled)).isEqualTo(ShardCursor.UNKNOWN);
        List<LogRecord> records = cursor.take(polled);
        if (!records.isEmpty()) {
            cursor.handedOut(records);
        }
        return offsets(records);
    }

    private static List<Long> offsets(List<LogRecord> records) {
        return records.stream().map(LogRecord::offset).toList();
    }

    private static ConsumerRecord<byte[], byte[]> read(long offset) {
        return record(offset, "r" + offset);
    }

    private static ConsumerRecord<byte[], byte[]> record(long offset, String text) {
        return record(offset, text, offset, LEADER);
    }

    private static ConsumerRecord<byte[], byte[]> record(long offset, String text, long timeMillis, int leader) {
        RecordHeaders headers = new RecordHeaders();
        ShardMark.HEADERS.forEach(headers::add);
        return new ConsumerRecord<>(
                "shards",
                0,
                offset,
                timeMillis,
                TimestampType.LOG_APPEND_TIME,
                0,
                0,
                null,
                bytes(text),
                headers,
                Optional.of(leader));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
