package io.tributary.security.jwt;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tributary.broker.security.Authenticator.Accepted;
import io.tributary.broker.security.Authenticator.NotMine;
import io.tributary.broker.security.Authenticator.Refused;
import io.tributary.broker.security.Authenticator.Result;
import io.tributary.broker.security.AuthenticatorChain.Link;
import io.tributary.broker.security.ClientInfo;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.time.SteadyClock;
import io.tributary.security.AuthenticatorContext;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/**
 * Tokens that a fuzzer writes. The first byte selects: even, the rest is the token, which is never accepted, for the
 * fuzzer does not know the key; odd, the rest is the header and, behind a zero byte, the claims of a token that is
 * signed with the key, and that is accepted or refused in order.
 */
class JwtFuzzTest {
    private static final byte[] SECRET = "a secret of this test, of 32 bytes or more".getBytes(UTF_8);
    private static final ClientInfo CLIENT = new ClientInfo("c", null, ProtocolVersion.MQTT_5, "127.0.0.1:1", "tcp");
    private static final AuthenticatorContext CONTEXT = AuthenticatorContext.create(new SteadyClock());
    private static final Link LINK = new JwtConfig(
                    new JwtConfig.Given(Keys.secret(SECRET)), null, null, null, TokenClaims.SUBJECT, "id")
            .open("tokens", CONTEXT);

    @AfterAll
    static void close() {
        LINK.onClose().run();
        CONTEXT.close();
    }

    @FuzzTest(maxDuration = "30s")
    void refusesOrAcceptsWhateverTokenComes(byte[] data) throws GeneralSecurityException {
        if (data.length == 0) {
            return;
        }
        byte[] rest = Arrays.copyOfRange(data, 1, data.length);
        if ((data[0] & 1) == 0) {
            assertThat(ask(rest)).isInstanceOfAny(Refused.class, NotMine.class);
        } else {
            assertThat(ask(signed(rest))).isInstanceOfAny(Refused.class, NotMine.class, Accepted.class);
        }
    }

    @Test
    void takesKnownTokens() throws GeneralSecurityException {
        byte[] good = "{\"alg\":\"HS256\"}\0{\"sub\":\"ann\"}".getBytes(UTF_8);
        assertThat(ask(signed(good))).isInstanceOf(Accepted.class);
        assertThat(ask(signed("{\"alg\":\"none\"}\0{\"sub\":\"ann\"}".getBytes(UTF_8))))
                .isInstanceOf(Refused.class);
        assertThat(ask(signed(
                        "{\"alg\":\"HS256\",\"crit\":[\"b64\"],\"b64\":false}\0{\"sub\":\"ann\"}".getBytes(UTF_8))))
                .isInstanceOf(Refused.class);
        assertThat(ask(signed("{\"alg\":\"HS256\"}\0{\"sub\":[[[[[]]]]],\"exp\":1e999}".getBytes(UTF_8))))
                .isInstanceOf(Refused.class);
        String none =
                base64("{\"alg\":\"none\"}".getBytes(UTF_8)) + "." + base64("{\"sub\":\"ann\"}".getBytes(UTF_8)) + ".";
        assertThat(ask(none.getBytes(US_ASCII))).isInstanceOf(Refused.class);
    }

    private static Result ask(byte[] token) {
        return LINK.authenticator()
                .authenticate(CLIENT, token)
                .toCompletableFuture()
                .join();
    }

    private static byte[] signed(byte[] headerAndClaims) throws GeneralSecurityException {
        int end = 0;
        while (end < headerAndClaims.length && headerAndClaims[end] != 0) {
            end++;
        }
        byte[] header = Arrays.copyOf(headerAndClaims, end);
        byte[] claims =
                Arrays.copyOfRange(headerAndClaims, Math.min(end + 1, headerAndClaims.length), headerAndClaims.length);
        String text = base64(header) + "." + base64(claims);
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(SECRET, "HmacSHA256"));
        return (text + "." + base64(mac.doFinal(text.getBytes(US_ASCII)))).getBytes(US_ASCII);
    }

    private static String base64(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
