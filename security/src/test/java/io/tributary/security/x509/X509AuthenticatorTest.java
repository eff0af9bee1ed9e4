package io.tributary.security.x509;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.netty.pkitesting.CertificateBuilder;
import io.tributary.broker.security.Authenticator.Accepted;
import io.tributary.broker.security.Authenticator.NotMine;
import io.tributary.broker.security.Authenticator.Refused;
import io.tributary.broker.security.Authenticator.Result;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.TextPattern;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.time.SteadyClock;
import io.tributary.security.AuthenticatorContext;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class X509AuthenticatorTest {
    private static final Instant END = Instant.ofEpochSecond(4_000_000_000L);

    @Test
    void commonNameIsTheNameUnlessSaidOtherwise() throws Exception {
        X509Certificate shown = certificate("CN=meter-1, OU=Meters, O=Acme");
        assertThat(ask(CertificateName.COMMON_NAME, null, shown)).isEqualTo(accepted("meter-1", null, "fleet"));
        assertThat(ask(CertificateName.SUBJECT, null, shown))
                .isEqualTo(accepted("CN=meter-1,OU=Meters,O=Acme", null, "fleet"));
        assertThat(ask(CertificateName.URI, null, shown)).isEqualTo(NotMine.PLAIN);
        assertThat(ask(CertificateName.COMMON_NAME, "engine-*", shown)).isEqualTo(NotMine.PLAIN);
        assertThat(ask(CertificateName.COMMON_NAME, null, null)).isEqualTo(NotMine.PLAIN);
        assertThat(ask(CertificateName.COMMON_NAME, null, certificate("O=Acme")))
                .isEqualTo(NotMine.PLAIN);
    }

    @Test
    void firstAlternativeNameThatFitsIsTheName() throws Exception {
        X509Certificate shown = new CertificateBuilder()
                .subject("CN=meter-1")
                .notAfter(END)
                .setIsCertificateAuthority(true)
                .addSanDnsName("other.example")
                .addSanUriName("https://acme.example/meter-1")
                .addSanUriName("urn:acme:north:seven:meter-1")
                .addSanRfc822Name("meter@acme.example")
                .buildSelfSigned()
                .getCertificate();
        assertThat(ask(CertificateName.URI, "regex:urn:acme:(?P<group>[^:]+):(?P<tenant>[^:]+):(?P<name>.+)", shown))
                .isEqualTo(accepted("meter-1", "seven", "fleet", "north"));
        assertThat(ask(CertificateName.DNS, "*.example", shown)).isInstanceOf(Accepted.class);
        assertThat(ask(CertificateName.EMAIL, "regex:(?P<name>.*)@acme[.]example", shown))
                .isEqualTo(accepted("meter", null, "fleet"));
        assertThat(ask(CertificateName.EMAIL, "regex:(?P<name>.*)meter@acme[.]example", shown))
                .as("an empty name is none")
                .isEqualTo(NotMine.PLAIN);
    }

    /** As by a session of TLS that began before. */
    @Test
    void certificateThatHasExpiredIsRefused() throws Exception {
        X509Certificate shown = certificate("CN=meter-1");
        assertThat(ask(CertificateName.COMMON_NAME, null, shown, null, () -> END.minusMillis(1)))
                .isEqualTo(accepted("meter-1", null, "fleet"));
        assertThat(ask(CertificateName.COMMON_NAME, null, shown, null, () -> END))
                .isEqualTo(new Refused(ReasonCode.NOT_AUTHORIZED, "the certificate has expired"));
    }

    @Test
    void patternWithAnotherGroupIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> config(CertificateName.URI, "regex:(?P<nmae>.*)"))
                .withMessageContaining("group nmae");
    }

    /** Of a certificate that a proxy has verified the subject alone is known. */
    @Test
    void subjectAloneGivesItsCommonNameAndNoAlternativeNames() {
        String subject = "CN=meter\\, 1";
        assertThat(ask(CertificateName.COMMON_NAME, null, null, subject))
                .isInstanceOfSatisfying(Accepted.class, yes -> {
                    assertThat(yes.principal())
                            .isEqualTo(new Principal("devices", "meter, 1", null, null, List.of("fleet"), "meter, 1"));
                    assertThat(yes.end()).as("nobody says it").isNull();
                });
        assertThat(ask(CertificateName.SUBJECT, "CN=meter*", null, subject)).isInstanceOf(Accepted.class);
        assertThat(ask(CertificateName.COMMON_NAME, "pump*", null, subject)).isEqualTo(NotMine.PLAIN);
        assertThat(ask(CertificateName.URI, null, null, subject)).isEqualTo(NotMine.PLAIN);
    }

    @Test
    void tenantThatCannotBeOneIsRefused() {
        String pattern = "regex:CN=(?P<tenant>[^.]*)\\.(?P<name>.*)";
        assertThat(ask(CertificateName.SUBJECT, pattern, null, "CN=acme.7"))
                .isInstanceOfSatisfying(
                        Accepted.class,
                        yes -> assertThat(yes.principal())
                                .isEqualTo(new Principal("devices", "7", null, "acme", List.of("fleet"), "acme.7")));
        for (String subject : List.of("CN=.7", "CN=a/b.7")) {
            assertThat(ask(CertificateName.SUBJECT, pattern, null, subject))
                    .isInstanceOfSatisfying(
                            Refused.class,
                            no -> assertThat(no.message()).contains("the tenant must have 1 to 64 bytes"));
        }
    }

    private static X509Certificate certificate(String subject) throws Exception {
        return new CertificateBuilder()
                .subject(subject)
                .notAfter(END)
                .setIsCertificateAuthority(true)
                .buildSelfSigned()
                .getCertificate();
    }

    private static Result ask(CertificateName place, @Nullable String pattern, @Nullable X509Certificate shown) {
        return ask(place, pattern, shown, null);
    }

    private static Result ask(
            CertificateName place,
            @Nullable String pattern,
            @Nullable X509Certificate shown,
            @Nullable String subject) {
        return ask(place, pattern, shown, subject, new SteadyClock());
    }

    private static Result ask(
            CertificateName place,
            @Nullable String pattern,
            @Nullable X509Certificate shown,
            @Nullable String subject,
            InstantSource clock) {
        ClientInfo client = new ClientInfo(
                "c",
                "anybody",
                ProtocolVersion.MQTT_5,
                "127.0.0.1:1",
                "tls",
                subject,
                List.of(),
                ClientKind.DEVICE,
                shown,
                Principal.ANONYMOUS,
                Map.of());
        try (AuthenticatorContext context = AuthenticatorContext.create(clock)) {
            return config(place, pattern)
                    .open("certificates", context)
                    .authenticator()
                    .authenticate(client, null)
                    .toCompletableFuture()
                    .join();
        }
    }

    private static X509Authenticator.Config config(CertificateName place, @Nullable String pattern) {
        return new X509Authenticator.Config(
                place, pattern == null ? null : TextPattern.of(pattern), List.of("fleet"), "devices");
    }

    private static Accepted accepted(String name, @Nullable String tenant, String... groups) {
        Principal principal = new Principal("devices", name, null, tenant, List.of(groups), "meter-1");
        return new Accepted(null, principal, END, Map.of());
    }
}
