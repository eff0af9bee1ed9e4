package io.tributary.broker.security.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tributary.broker.security.store.StoredRuleSet.Line;
import io.tributary.broker.security.store.TenantLimits.Limit;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.UnreadableRecordException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SecurityCodecTest {
    private static final Instant END = Instant.ofEpochMilli(1_800_000_000_000L);

    /** Columns: an object, and its bytes, which stay the same for ever. */
    static Stream<Arguments> golden() {
        return Stream.of(
                Arguments.of(
                        new StoredUser(
                                "devices",
                                "meter-1",
                                77,
                                "$argon2id$x",
                                List.of("a", "b"),
                                "acme",
                                ClientKind.APPLICATION,
                                Map.of("site", "7", "floor", "2"),
                                true,
                                END),
                        "0764657669636573076d657465722d314d010b246172676f6e32696424780201610162010461636d65010205666c"
                                + "6f6f720132047369746501370180a0f1c2b134"),
                Arguments.of(
                        new StoredUser("r", "n", 0, null, List.of(), null, null, Map.of(), false, null),
                        "0172016e00000000ff000000"),
                Arguments.of(
                        new StoredUser(
                                "r",
                                "n",
                                0,
                                null,
                                List.of(),
                                null,
                                null,
                                Map.of(),
                                false,
                                null,
                                List.of(new Line(true, "publish", "b", 1, false))),
                        "0172016e00000000ff000200" + "01" + "01077075626c69736801620100"),
                Arguments.of(
                        new DeviceToken(new byte[32], "devices:meter-1", 77, "d", null),
                        "20" + "00".repeat(32) + "0f646576696365733a6d657465722d314d01016400"),
                Arguments.of(
                        new StoredRuleSet(
                                "set",
                                -1,
                                Map.of("groups", List.of("g")),
                                List.of(
                                        new Line(false, "all", "a/#", null, null),
                                        new Line(true, "publish", "b", 1, false))),
                        "0373657401010667726f7570730101670200" + "03616c6c03612f23ffff01077075626c69736801620100"),
                Arguments.of(
                        new Ban("b", Ban.Subject.CLIENT_ID, "c", "why", END, true),
                        "0162010163010377687980a0f1c2b13401"),
                Arguments.of(
                        new TenantLimits("t", Map.of(Limit.CONNECTIONS, 5L, Limit.BYTES_PER_SECOND, 300L)),
                        "017402000507ac02"));
    }

    @ParameterizedTest
    @MethodSource("golden")
    void bytesStayTheSame(SecurityObject object, String hex) {
        byte[] bytes = SecurityCodec.encode(object);
        assertThat(HexFormat.of().formatHex(bytes)).isEqualTo(hex);
        assertThat(SecurityCodec.decode(object.table(), bytes)).isEqualTo(object);
    }

    @ParameterizedTest
    @MethodSource("golden")
    void isUnreadableWhenItIsCutOffOrLonger(SecurityObject object, String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        for (int length = 0; length <= bytes.length + 1; length++) {
            byte[] other = Arrays.copyOf(bytes, length);
            if (length != bytes.length) {
                assertThatExceptionOfType(UnreadableRecordException.class)
                        .isThrownBy(() -> SecurityCodec.decode(object.table(), other));
            }
        }
    }

    @Test
    void entrySaysWhenItWasWritten() {
        StoredEntry entry = new StoredEntry(new Stamp(300, 2), 5, new byte[] {9});
        assertThat(HexFormat.of().formatHex(entry.encode(3))).isEqualTo("03ac0202050101" + "09");
        StoredEntry read = StoredEntry.decode(entry.encode(3), 3);
        assertThat(read.stamp()).isEqualTo(entry.stamp());
        assertThat(new Stamp(300, 2)).isGreaterThan(new Stamp(299, 5)).isGreaterThan(new Stamp(300, 1));
        assertThat(Stamp.parse("300-2")).contains(new Stamp(300, 2));
        assertThat(Stamp.parse("300-2 ")).isEmpty();
    }

    @Test
    void sizesAreBounded() {
        assertThatIllegalArgumentException().isThrownBy(() -> tenant("a/b"));
        assertThatIllegalArgumentException().isThrownBy(() -> tenant(".."));
        assertThatIllegalArgumentException().isThrownBy(() -> tenant(""));
        assertThatIllegalArgumentException().isThrownBy(() -> tenant("a\u0000"));
        assertThatIllegalArgumentException().isThrownBy(() -> tenant("x".repeat(257)));
        Line line = new Line(true, "all", "t", null, null);
        assertThatIllegalArgumentException().isThrownBy(() -> rules(List.of()));
        assertThatIllegalArgumentException().isThrownBy(() -> rules(Collections.nCopies(1_001, line)));
        assertThatIllegalArgumentException().isThrownBy(() -> new Line(true, "all", "t".repeat(1 << 16), null, null));
        Line large = new Line(true, "all", "t".repeat((1 << 16) - 1), null, null);
        assertThatIllegalArgumentException().isThrownBy(() -> rules(Collections.nCopies(5, large)));
        assertThat(rules(Collections.nCopies(4, large)).rules()).hasSize(4);
    }

    private static TenantLimits tenant(String name) {
        return new TenantLimits(name, Map.of());
    }

    private static StoredRuleSet rules(List<Line> lines) {
        return new StoredRuleSet("set", 0, Map.of(), lines);
    }
}
