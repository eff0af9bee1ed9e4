package io.tributary.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.cluster.link.NodeId;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.UnreadableRecordException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class NodeRecordCodecTest {
    /** Never changed once it is released: nodes of all versions must read each other's records. */
    private static final String GOLDEN = "01ffffffffffffffff7f066e6f64652d31d836030202ac0280c0e285e36802"
            + "0100ac02020180010109" + "01066e6f64652d3207";

    private static final NodeRecord NODE = new NodeRecord(
            Long.MAX_VALUE,
            "node-1",
            7000,
            3,
            2,
            NodeState.LIVE,
            300,
            1_800_000_000_000L,
            2,
            new ShardPart(true, false, 300, Set.of(1, 128), Set.of(9), List.of(new NodeId("node-2", 7))));

    @Test
    void bytesStayTheSameWhenANodeIsEncoded() {
        assertThat(HexFormat.of().formatHex(NodeRecordCodec.encode(NODE))).isEqualTo(GOLDEN);
        assertThat(NodeRecordCodec.decode(HexFormat.of().parseHex(GOLDEN))).isEqualTo(NODE);
    }

    /** Nor is this: what a version has finished, later ones must know. */
    @Test
    void bytesStayTheSameWhenAnUpgradeIsFinished() {
        RecordFormat format = new RecordFormat(3);
        assertThat(new FormatAgreement(format, new KnownNodes(), Formats.HOLD).finish())
                .containsExactly(1, 3);
        assertThat(FormatAgreement.KEY).isEqualTo("#formats");
    }

    @ParameterizedTest
    @EnumSource(NodeState.class)
    void decodesWhatWasEncodedWhenInAnyState(NodeState state) {
        NodeRecord node = new NodeRecord(0, "::1", 65_535, 255, 255, state, Long.MAX_VALUE, -1, 0, ShardPart.NONE);
        assertThat(NodeRecordCodec.decode(NodeRecordCodec.encode(node))).isEqualTo(node);
    }

    @Test
    void refusesWhenCutOffAnywhere() {
        byte[] value = NodeRecordCodec.encode(NODE);
        for (int length = 0; length < value.length; length++) {
            assertUnreadable(Arrays.copyOf(value, length), "");
        }
    }

    @Test
    void readsAsFarAsItKnowsWhenALaterVersionHasWrittenMore() {
        byte[] value = NodeRecordCodec.encode(NODE);
        assertThat(NodeRecordCodec.decode(Arrays.copyOf(value, value.length + 7)))
                .isEqualTo(NODE);
    }

    @Test
    void throwsNothingElseWhenBytesAreDamaged() {
        Random random = new Random(1);
        for (int round = 0; round < 20_000; round++) {
            byte[] value = NodeRecordCodec.encode(NODE);
            value[random.nextInt(value.length)] = (byte) random.nextInt();
            value[random.nextInt(value.length)] = (byte) random.nextInt();
            try {
                assertThat(NodeRecordCodec.decode(value)).isNotNull();
            } catch (UnreadableRecordException e) {
                assertThat(e).hasMessageNotContaining("null");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "02 00 0168 01 01 01 00 00 00 00 00 01 00 00 00 00, format 2",
        "00 00 0168 01 01 01 00 00 00 00 00 01 00 00 00 00, format 0",
        "01 00 0168 01 01 01 06 00 00 00 00 01 00 00 00 00, state 6",
        "01 00 0168 01 01 01 00 00 00 00 00 01 00 00 00 00, state 0",
        "01 00 00 01 01 01 01 00 00 00 00 01 00 00 00 00, host",
        "01 00 0168 00 01 01 01 00 00 00 00 01 00 00 00 00, port 0",
        "01 00 0168 808004 01 01 01 00 00 00 00 01 00 00 00 00, port 65536",
        "01 00 0168 01 00 01 01 00 00 00 00 01 00 00 00 00, format 0",
        "01 00 0168 01 8002 01 01 00 00 00 00 01 00 00 00 00, format 256",
        "01 ffffffffffffffffff01 0168 01 01 01 01 00 00 00 00 01 00 00 00 00, incarnation -1",
        "01 00 0168 01 01 01 01 ffffffffffffffffff01 00 00 00 01 00 00 00 00, heartbeat -1",
        "01 00 ffffffff0768 01 01 00 00 00 00 00 01 00 00 00 00, length of 2147483647",
        "01 00 0168 01 02 00 01 00 00 00 00 01 00 00 00 00, written 0",
        "01 00 0168 01 02 03 01 00 00 00 00 01 00 00 00 00, written 3",
        "01 00 0168 01 01 01 01 00 00 00 00 01 ffffffffffffffffff01 00 00 00, seen -1",
        "01 00 0168 01 01 01 01 00 00 00 00 01 00 00 00 01 00 00, process",
    })
    void refusesWhenAValueIsOutOfRange(String hex, String why) {
        assertUnreadable(HexFormat.of().parseHex(hex.replace(" ", "")), why);
    }

    private static void assertUnreadable(byte[] value, String why) {
        assertThatThrownBy(() -> NodeRecordCodec.decode(value))
                .isInstanceOf(UnreadableRecordException.class)
                .hasMessageContaining(why);
    }
}
