package io.tributary.security.scram;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.EnhancedAuthenticator.Continue;
import io.tributary.broker.security.EnhancedAuthenticator.Exchange;
import io.tributary.broker.security.EnhancedAuthenticator.Failure;
import io.tributary.broker.security.EnhancedAuthenticator.Step;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.security.file.WatchedUsers;
import io.tributary.security.password.ScramCredential.Mechanism;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Messages of SCRAM that a fuzzer writes: the first, a zero byte, and the last. Nobody gets in who does not know the
 * password, and whatever is malformed is a no.
 */
class ScramFuzzTest {
    private static final ClientInfo CLIENT = new ClientInfo("c", null, ProtocolVersion.MQTT_5, "127.0.0.1:1", "tcp");
    private static final String NONCE = "ours";

    /** Of a password that is nowhere in this test. */
    private static final String USERS = """
            users:
              user:
                scram:
                  - "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU="
            """;

    @TempDir
    private static Path folder;

    private static WatchedUsers users;
    private static ScramAuthenticator authenticator;

    @BeforeAll
    static void open() throws IOException {
        users = new WatchedUsers("scram", Files.writeString(folder.resolve("users.yaml"), USERS));
        authenticator = new ScramAuthenticator(Mechanism.SHA_256, "people", users, () -> NONCE);
    }

    @AfterAll
    static void close() {
        users.close();
    }

    @FuzzTest(maxDuration = "30s")
    void letsNobodyInWithoutThePassword(byte[] data) {
        check(data);
    }

    @Test
    void letsNobodyInWithKnownMessages() {
        check("n,,n=user,r=theirs\0c=biws,r=theirsours,p=AAAA".getBytes(UTF_8));
        check(("n,,n=user,r=theirs\0c=biws,r=theirsours,p=" + "A".repeat(43) + "=").getBytes(UTF_8));
        check("n,a=user,n=user,r=x\0c=bixhPXVzZXIs,r=xours,p=".getBytes(UTF_8));
        check("n,,n=user=,r=x\0".getBytes(UTF_8));
        check("n,,n==2C=3D,r=x\0c=biws,r=xours,p=AA==".getBytes(UTF_8));
        check("p=tls-unique,,n=user,r=x\0".getBytes(UTF_8));
        check("n,,n=\u00ad,r=x\0".getBytes(UTF_8));
        check(new byte[] {(byte) 0xC3, 0x28, 0, 1});
    }

    private static void check(byte[] data) {
        int end = 0;
        while (end < data.length && data[end] != 0) {
            end++;
        }
        Exchange exchange = authenticator.begin(CLIENT);
        Step step = step(exchange, Arrays.copyOf(data, end));
        if (step instanceof Continue) {
            step = step(exchange, Arrays.copyOfRange(data, Math.min(end + 1, data.length), data.length));
        }
        assertThat(step).isInstanceOf(Failure.class);
    }

    private static Step step(Exchange exchange, byte[] message) {
        return exchange.next(message).toCompletableFuture().join();
    }
}
