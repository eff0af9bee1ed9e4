package io.tributary.broker.security.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tributary.broker.security.Authenticator.Accepted;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.store.Ban.Subject;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
import io.tributary.common.mqtt.ProtocolVersion;
import java.net.InetAddress;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BanIndexTest {
    private Instant now = Instant.ofEpochSecond(1_000);
    private final BanIndex bans = new BanIndex(() -> now, SecurityRecorder.NONE);

    static ClientInfo client(String clientId, @Nullable String userName) {
        return new ClientInfo(clientId, userName, ProtocolVersion.MQTT_5, "10.1.2.3:4567", "tcp");
    }

    private Ban ban(String name, Subject subject, String value, @Nullable Instant expires, boolean disconnect) {
        Ban ban = new Ban(name, subject, value, "a reason", expires, disconnect);
        bans.changed(null, ban);
        return ban;
    }

    @ParameterizedTest
    @CsvSource({
        "10.1.0.0/16, 10.1.2.3, true",
        "10.1.0.0/16, 10.2.2.3, false",
        "10.1.2.3, 10.1.2.3, true",
        "10.1.2.3, 10.1.2.4, false",
        "0.0.0.0/0, 10.1.2.4, true",
        "0.0.0.0/0, 2001:db8::1, false",
        "2001:db8::/32, 2001:db8:1::1, true",
        "2001:db8:0:8000::/49, 2001:db8:0:7fff::1, false",
        "2001:db8::8000:0:0:0/65, 2001:db8::8000:0:0:5, true",
        "2001:db8::8000:0:0:0/65, 2001:db8::5, false",
        "::/0, 2001:db8::1, true",
    })
    void addressIsBannedWhenItIsInTheRange(String range, String address, boolean expected) {
        Ban ban = ban("one", Subject.ADDRESS, range, null, false);
        assertThat(bans.isBanned(InetAddress.ofLiteral(address))).isEqualTo(expected);
        bans.changed(ban, null);
        assertThat(bans.isBanned(InetAddress.ofLiteral(address))).isFalse();
    }

    @Test
    void clientIsBannedByWhatItSaysAndWhatItIs() {
        ban("id", Subject.CLIENT_ID, "bad", null, false);
        ban("user", Subject.USER, "mallory", null, false);
        ban("tenant", Subject.TENANT, "acme", null, false);
        assertThat(bans.isBanned("bad", null)).isTrue();
        assertThat(bans.isBanned("good", "mallory")).isTrue();
        assertThat(bans.isBanned("mallory", "bad")).isFalse();
        assertThat(bans.isBanned(new Principal("r", "mallory"))).isTrue();
        assertThat(bans.isBanned(new Principal("r", "x", null, "acme", List.of(), null)))
                .isTrue();
        assertThat(bans.isBanned(entryOf("mallory"))).isTrue();
        assertThat(bans.isBanned(entryOf("bob"))).isFalse();
        assertThat(bans.isBanned(new Principal("r", "acme"))).isFalse();
    }

    /** As a directory names a user. */
    private static Principal entryOf(String userName) {
        return new Principal("r", "uid=" + userName + ",ou=people", userName, null, List.of(), null);
    }

    @Test
    void banIsOverWhenItExpires() {
        ban("id", Subject.CLIENT_ID, "bad", now.plusSeconds(10), false);
        assertThat(bans.isBanned("bad", null)).isTrue();
        now = now.plusSeconds(10);
        assertThat(bans.isBanned("bad", null)).isFalse();
    }

    @Test
    void otherBanStaysWhenOneOfTheSameIsLifted() {
        Ban first = ban("first", Subject.ADDRESS, "10.0.0.0/8", null, false);
        Ban second = ban("second", Subject.ADDRESS, "10.0.0.0/8", null, true);
        bans.changed(first, null);
        assertThat(bans.isBanned(InetAddress.ofLiteral("10.9.9.9"))).isTrue();
        Ban moved = new Ban("second", Subject.ADDRESS, "11.0.0.0/8", null, null, true);
        bans.changed(second, moved);
        assertThat(bans.isBanned(InetAddress.ofLiteral("10.9.9.9"))).isFalse();
        assertThat(bans.isBanned(InetAddress.ofLiteral("11.9.9.9"))).isTrue();
    }

    @Test
    void connectionIsClosedWhenTheBanSaysSo() {
        ClientInfo client =
                client("c", "mallory").accepted("c", ClientKind.DEVICE, new Principal("r", "mallory"), new Accepted());
        Ban mild = ban("mild", Subject.USER, "mallory", null, false);
        assertThat(bans.mustDisconnect(client)).isFalse();
        ClientInfo byAnotherName =
                client("c", "Mallory").accepted("c", ClientKind.DEVICE, entryOf("mallory"), new Accepted());
        Ban severe = ban("severe", Subject.USER, "mallory", null, true);
        assertThat(bans.mustDisconnect(client)).isTrue();
        assertThat(bans.mustDisconnect(byAnotherName)).isTrue();
        bans.changed(severe, null);
        bans.changed(mild, null);
        ban("address", Subject.ADDRESS, "10.1.0.0/16", null, true);
        assertThat(bans.mustDisconnect(client)).isTrue();
    }

    @Test
    void rangeThatIsNoneIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Ban("one", Subject.ADDRESS, "10.0.0.1/8", null, null, false))
                .withMessageContaining("10.0.0.1/8");
    }
}
