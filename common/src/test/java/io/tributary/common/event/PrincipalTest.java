package io.tributary.common.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.common.event.ShardEvent.Attach;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrincipalTest {
    private static final Principal ALICE = new Principal("ldap", "alice");

    @Test
    void isTheSameByRealmAndName() {
        assertThat(ALICE.isSameAs(new Principal("ldap", "alice", "al", "t", List.of("g"), "cn")))
                .isTrue();
        assertThat(ALICE.isSameAs(new Principal("file", "alice"))).isFalse();
        assertThat(ALICE.isSameAs(new Principal("ldap", "bob"))).isFalse();
        assertThat(Principal.ofUser(null).isSameAs(Principal.ANONYMOUS)).isTrue();
        assertThat(Principal.ofUser("").isSameAs(Principal.ANONYMOUS)).isTrue();
    }

    @Test
    void isRefusedWhenItIsLongerThanRecordsHaveRoomFor() {
        String most = "x".repeat(Principal.MAX_BYTES);
        assertThat(Principal.ofUser(most).userName()).isEqualTo(most);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Principal.ofUser(most + "x"))
                .withMessageContaining("1025 bytes together: at most 1024");
        assertThatIllegalArgumentException().isThrownBy(() -> Principal.ofUser("ü".repeat(513)));
        assertThatIllegalArgumentException().isThrownBy(() -> new Principal("r", most));
        assertThatIllegalArgumentException().isThrownBy(() -> new Principal("", "", most + "x", null, List.of(), null));
        assertThatIllegalArgumentException().isThrownBy(() -> new Principal("", "", null, most + "x", List.of(), null));
        assertThatIllegalArgumentException().isThrownBy(() -> new Principal("", "", null, null, List.of(), most + "x"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Principal("", "", null, null, Collections.nCopies(1025, ""), null));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a/b", "+", "a#", "a\0b", "a\tb", "\u0085", "\ud800"})
    void isRefusedWhenTheTenantCannotBeALevel(String tenant) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Principal("", "alice", null, tenant, List.of(), null))
                .withMessageContaining("the tenant must have 1 to 64 bytes");
    }

    @Test
    void isRefusedWhenTheTenantIsTooLong() {
        String most = "ü".repeat(32);
        assertThat(new Principal("", "", null, most, List.of(), null).tenant()).isEqualTo(most);
        assertThatIllegalArgumentException().isThrownBy(() -> new Principal("", "", null, most + "x", List.of(), null));
    }

    @Test
    void costsOneByteWhenNothingIsKnown() {
        int without = EventCodec.encode(attach(null), 1).length;
        assertThat(EventCodec.encode(attach(null), 2)).hasSize(without + 1);
        assertThat(EventCodec.encode(attach(Principal.ANONYMOUS), 2)).hasSize(without + 1);
        assertThat(EventCodec.encode(attach(Principal.ofUser("device-1")), 2)).hasSize(without + 1);
    }

    /** There are millions of sessions. */
    @Test
    void sharesMemoryWhenTextsAreEqual() {
        Principal who = new Principal("ca", "device-1", "device-1", "plant", List.of("sensors"), "device-1");
        Attach one = read(attach(who));
        Attach other = read(attach(who));
        Principal first = Objects.requireNonNull(one.principal());
        Principal second = Objects.requireNonNull(other.principal());
        assertThat(first.name()).isSameAs(one.clientId());
        assertThat(first.userName()).isSameAs(one.clientId());
        assertThat(first.commonName()).isSameAs(one.clientId());
        assertThat(first.realm()).isSameAs(second.realm());
        assertThat(first.tenant()).isSameAs(second.tenant());
        assertThat(first.groups().getFirst()).isSameAs(second.groups().getFirst());
        assertThat(read(attach(Principal.ANONYMOUS)).principal()).isSameAs(Principal.ANONYMOUS);
    }

    @Test
    void isUnreadableWhenItIsLongerThanAllowed() {
        ByteWriter writer = new ByteWriter(10);
        writer.writeNumber(0x05); // known, with a name
        writer.writeString("x".repeat(Principal.MAX_BYTES + 1));
        ByteReader reader = new ByteReader(writer.toBytes());
        assertThatThrownBy(() -> PrincipalFormat.read(reader, "c")).isInstanceOf(UnreadableRecordException.class);
    }

    @Test
    void rulesOfItsOwnAreInRecordsFromTheirFormatOn() {
        Principal who = new Principal("r", "n", null, null, List.of(), null, "+p1n up/#");
        Attach attach = attach(who);
        assertThat(((Attach) EventCodec.decode(EventCodec.encode(attach, 3))).principal())
                .isEqualTo(who);
        assertThat(read(attach).principal()).isEqualTo(new Principal("r", "n"));
    }

    @Test
    void rulesOfItsOwnHaveALimit() {
        String most = "\u20AC".repeat(Principal.MAX_RULES_BYTES / 3);
        assertThat(new Principal("r", "n", null, null, List.of(), null, most).rules())
                .isEqualTo(most);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Principal("r", "n", null, null, List.of(), null, most + "\u20AC"))
                .withMessageContaining("own rules");
    }

    private static Attach read(Attach attach) {
        return (Attach) EventCodec.decode(EventCodec.encode(attach, 2));
    }

    private static Attach attach(@Nullable Principal who) {
        return new Attach("device-1", "node", 1, false, 60, 10, ClientKind.DEVICE, null, who, false);
    }
}
