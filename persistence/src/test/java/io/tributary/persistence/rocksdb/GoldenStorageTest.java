package io.tributary.persistence.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.Source;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.persistence.shard.LogRecord;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Holds the layout of the database to bytes in hexadecimal. What is written here changes with a new number of {@link
 * RecordFormat} alone, and folders of all formats stay readable.
 */
class GoldenStorageTest {
    private static final Message MESSAGE = new Message(
            "a/b",
            "on".getBytes(StandardCharsets.UTF_8),
            QoS.AT_LEAST_ONCE,
            false,
            PublishProperties.NONE,
            Message.NEVER,
            "pump");
    private static final Recipient RECIPIENT =
            new Recipient("erp", 300, QoS.AT_LEAST_ONCE, false, List.of(), null, ClientKind.APPLICATION);
    private static final Source SOURCE = new Source(3, 1000, 2);

    /** What all formats so far have behind the format byte. */
    private static final String RECORD = "0103e80702" + "2103657270ac02" + "0103612f620470756d70026f6e";

    private final StateKeys keys = new StateKeys(258);

    @Test
    void recordsOfApplicationsStayWhatTheyAre() {
        assertThat(hex(StoredAppRecord.encode(MESSAGE, RECIPIENT, SOURCE))).isEqualTo("04" + RECORD);
        for (int format = 1; format <= RecordFormat.NEWEST; format++) {
            byte[] stored = HexFormat.of().parseHex("0" + format + RECORD);
            var read = StoredAppRecord.decode(new LogRecord(7, 99, stored));
            assertThat(read.message()).usingRecursiveComparison().isEqualTo(MESSAGE);
            assertThat(read.recipient()).isEqualTo(RECIPIENT);
            assertThat(read.source()).isEqualTo(SOURCE);
        }
    }

    @Test
    void recordsOfApplicationsHaveThePriorityFromFormat4On() {
        Message urgent = MESSAGE.withPriority(3);
        byte[] stored = StoredAppRecord.encode(urgent, RECIPIENT, SOURCE);
        assertThat(hex(stored)).isEqualTo("04" + RECORD.replace("0103612f62", "6103612f62"));
        assertThat(StoredAppRecord.decode(new LogRecord(7, 99, stored)).message())
                .usingRecursiveComparison()
                .isEqualTo(urgent);
    }

    @Test
    void blocksOfTheLogStayWhatTheyAre() {
        byte[] block =
                LogBlock.encode(List.of(new LogRecord(7, 99, new byte[] {1, 2}), new LogRecord(8, 99, new byte[] {3})));
        assertThat(hex(block)).isEqualTo("0000000000000063" + "00000002" + "00000002" + "0102" + "00000001" + "03");
    }

    @Test
    void keysOfTheStateStayWhatTheyAre() {
        assertThat(hex(keys.header())).isEqualTo("0102" + "00");
        assertThat(hex(keys.source(259))).isEqualTo("0102" + "01" + "0103");
        assertThat(hex(keys.session("ab"))).isEqualTo("0102" + "02" + "0002" + "6162");
        assertThat(hex(keys.will("ab", 5))).isEqualTo("0102" + "03" + "0002" + "6162" + "0000000000000005");
        assertThat(hex(keys.queueEntry("ab", 5))).isEqualTo("0102" + "04" + "0002" + "6162" + "0000000000000005");
    }

    @ParameterizedTest
    @CsvSource({"META, default", "LOG, log", "STATE, state", "MAPS, maps", "APPS, apps", "AUDIT, audit"})
    void columnsKeepTheirNames(Column column, String name) {
        assertThat(new String(column.nameBytes(), StandardCharsets.UTF_8)).isEqualTo(name);
        assertThat(Arrays.asList(Column.values())).hasSize(6);
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
