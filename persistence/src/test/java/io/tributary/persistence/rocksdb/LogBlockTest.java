package io.tributary.persistence.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.persistence.shard.LogRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LogBlockTest {
    @Test
    void recordsComeBackWhenDecoded() {
        List<LogRecord> records = records(7, 20, 10);
        byte[] block = LogBlock.encode(records);
        assertThat(LogBlock.recordCount(block)).isEqualTo(20);
        assertThat(LogBlock.timeMillis(block)).isEqualTo(99);
        assertThat(decode(block, 7, 0, 100)).usingRecursiveComparison().isEqualTo(records);
    }

    @Test
    void earlierRecordsAreLeftOutWhenDecodedFromTheMiddle() {
        byte[] block = LogBlock.encode(records(7, 20, 10));
        assertThat(decode(block, 7, 25, 100)).extracting(LogRecord::offset).containsExactly(25L, 26L);
        assertThat(decode(block, 7, 27, 100)).isEmpty();
    }

    @Test
    void decodingStopsWhenTheSinkHasEnough() {
        byte[] block = LogBlock.encode(records(0, 20, 10));
        assertThat(decode(block, 0, 5, 3)).extracting(LogRecord::offset).containsExactly(5L, 6L, 7L);
    }

    @Test
    void blocksAreCutWhenTheyWouldBecomeLarge() {
        List<LogRecord> records = records(0, 200, 1000);
        assertThat(LogBlock.recordsOfBlock(records, 0)).isEqualTo(66);
        assertThat(LogBlock.recordsOfBlock(records, 190)).isEqualTo(10);
    }

    @Test
    void aRecordIsABlockOfItsOwnWhenItIsLarge() {
        List<LogRecord> records = records(0, 3, 1_000_000);
        assertThat(LogBlock.recordsOfBlock(records, 0)).isEqualTo(1);
        assertThat(LogBlock.recordsOfBlock(records, 2)).isEqualTo(1);
    }

    private static List<LogRecord> decode(byte[] block, long first, long from, int limit) {
        List<LogRecord> decoded = new ArrayList<>();
        boolean wantsMore = LogBlock.decode(block, first, from, entry -> {
            decoded.add(entry);
            return decoded.size() < limit;
        });
        assertThat(wantsMore).isEqualTo(decoded.size() < limit);
        return decoded;
    }

    private static List<LogRecord> records(long first, int count, int bytes) {
        return IntStream.range(0, count)
                .mapToObj(i -> new LogRecord(first + i, 99, new byte[bytes]))
                .toList();
    }
}
