package io.tributary.broker.security.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What nodes ask the owner of shard 0, what it answers, and what the audit log says of that. */
class ChangeTest {
    private static final Change CHANGE = new Change(
            SecurityTable.USERS, "ada", new Change.Is(new Stamp(300, 2)), new byte[] {1, 2}, "root", "10.0.0.1");

    /** Never changed but with a new format of records: nodes of two versions ask each other. */
    private static final String GOLDEN =
            "057573657273" + "03616461" + "02ac0202" + "01020102" + "04726f6f74" + "0831302e302e302e31";

    @Test
    void bytesOfAQuestionStayTheSame() {
        assertThat(HexFormat.of().formatHex(CHANGE.encode())).isEqualTo(GOLDEN);
        assertThat(Change.decode(HexFormat.of().parseHex(GOLDEN)))
                .usingRecursiveComparison()
                .isEqualTo(CHANGE);
    }

    @Test
    void bytesOfAnAnswerStayTheSame() {
        List<ChangeResult> results = List.of(
                new ChangeResult.Done(new Stamp(300, 2)),
                new ChangeResult.Conflict(new Stamp(300, 2)),
                new ChangeResult.Conflict(null),
                new ChangeResult.Refused("no"),
                new ChangeResult.NotNow("no"),
                new ChangeResult.Unknown("no"));
        List<String> golden = List.of("00ac0202", "0101ac0202", "0100", "02026e6f", "03026e6f", "04026e6f");
        assertThat(results.stream()
                        .map(result -> HexFormat.of().formatHex(ChangeResult.encode(result)))
                        .toList())
                .isEqualTo(golden);
        assertThat(golden.stream()
                        .map(hex -> ChangeResult.decode(HexFormat.of().parseHex(hex)))
                        .toList())
                .isEqualTo(results);
    }

    /** Others read the log, too: fields may come, none goes. */
    @Test
    void textOfAnAuditEntryStaysTheSame() {
        assertThat(new String(AuditEntry.of(CHANGE, new byte[] {1}).encode(), StandardCharsets.UTF_8))
                .isEqualTo(
                        "{\"by\":\"root\",\"from\":\"10.0.0.1\",\"action\":\"put\",\"table\":\"users\",\"id\":\"ada\","
                                + "\"before\":\"4bf5122f344554c53bde2ebb8cd2b7e3\","
                                + "\"after\":\"a12871fee210fb8619291eaea194581c\"}");
    }
}
