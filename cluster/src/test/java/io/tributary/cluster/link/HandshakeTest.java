package io.tributary.cluster.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cluster.link.Handshake.Authenticated;
import io.tributary.cluster.link.Handshake.NoLink;
import io.tributary.cluster.link.Handshake.Reply;
import io.tributary.cluster.link.Handshake.Step;
import io.tributary.cluster.link.HandshakeMessage.Challenge;
import io.tributary.cluster.link.HandshakeMessage.Hello;
import io.tributary.cluster.link.HandshakeMessage.Proof;
import io.tributary.cluster.link.HandshakeMessage.Refused;
import io.tributary.cluster.link.HandshakeMessage.Welcome;
import io.tributary.common.event.UnreadableRecordException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HandshakeTest {
    private static final NodeId A = new NodeId("a", 1);
    private static final NodeId B = new NodeId("b", 2);
    private static final String SECRET = "the secret of all nodes";

    private final DialerHandshake dialer = new DialerHandshake(identity(A, "c", SECRET), B);
    private final AcceptorHandshake acceptor = new AcceptorHandshake(identity(B, "c", SECRET));

    /** Of {@link Hello} and {@link Refused} never changed: they say which versions of links there are. */
    @Test
    void bytesOfMessagesStayTheSame() {
        byte[] bytes = new byte[32];
        List<HandshakeMessage> messages = List.of(
                new Hello(1, 1, "c", A, B, bytes),
                new Challenge(1, bytes),
                new Proof(bytes),
                new Welcome(bytes),
                new Refused(3, 1, 1));
        String secret = "20" + "00".repeat(32);
        List<String> golden = List.of(
                "01" + "c292c9a205" + "0101" + "0163" + "016101" + "016202" + secret,
                "02" + "01" + secret,
                "03" + secret,
                "04" + secret,
                "05" + "030101");
        for (int i = 0; i < messages.size(); i++) {
            HandshakeMessage message = messages.get(i);
            assertThat(HexFormat.of().formatHex(message.encode())).isEqualTo(golden.get(i));
            assertThat(HandshakeMessage.decode(HexFormat.of().parseHex(golden.get(i))))
                    .usingRecursiveComparison()
                    .isEqualTo(message);
        }
    }

    @Test
    void knowsEachOtherWhenSecretIsTheSame() {
        Proof proof = (Proof) reply(dialer.on(reply(acceptor.on(dialer.opening()))));
        Authenticated accepted = (Authenticated) acceptor.on(proof);
        Authenticated welcomed = (Authenticated) dialer.on(Objects.requireNonNull(accepted.last()));

        assertThat(accepted.peer()).isEqualTo(A);
        assertThat(welcomed.peer()).isEqualTo(B);
    }

    @Test
    void refusesDialerWhenItsSecretIsAnother() {
        DialerHandshake stranger = new DialerHandshake(identity(A, "c", "another secret of nodes"), B);
        Step end = acceptor.on(reply(stranger.on(reply(acceptor.on(stranger.opening())))));

        assertThat(end).isEqualTo(new NoLink(Refusal.WRONG_SECRET, refused(Refusal.WRONG_SECRET)));
        assertThat(stranger.on(refused(Refusal.WRONG_SECRET))).isEqualTo(new NoLink(Refusal.WRONG_SECRET, null));
    }

    @Test
    void refusesAcceptorWhenItDoesNotProveTheSecret() {
        dialer.on(new Challenge(1, new byte[32]));

        assertThat(dialer.on(new Welcome(new byte[32]))).isEqualTo(new NoLink(Refusal.WRONG_SECRET, null));
    }

    @Test
    void refusesAcceptorWhenItSendsBackTheProof() {
        Proof proof = (Proof) reply(dialer.on(new Challenge(1, new byte[32])));

        assertThat(dialer.on(new Welcome(proof.proof()))).isEqualTo(new NoLink(Refusal.WRONG_SECRET, null));
    }

    @Test
    void refusesDialerWhenItRepeatsAnOldProof() {
        Hello hello = (Hello) dialer.opening();
        Proof proof = (Proof) reply(dialer.on(reply(acceptor.on(hello))));
        AcceptorHandshake later = new AcceptorHandshake(identity(B, "c", SECRET));
        later.on(hello);

        assertThat(later.on(proof)).isEqualTo(new NoLink(Refusal.WRONG_SECRET, refused(Refusal.WRONG_SECRET)));
    }

    @Test
    void refusesDialerWhenSomebodyChangedWhoItIs() {
        Hello said = (Hello) dialer.opening();
        Hello changed = new Hello(1, 1, "c", new NodeId("a", 99), B, said.nonce());
        Step end = acceptor.on(reply(dialer.on(reply(acceptor.on(changed)))));

        assertThat(end).isEqualTo(new NoLink(Refusal.WRONG_SECRET, refused(Refusal.WRONG_SECRET)));
    }

    @Test
    void refusesDialerWhenClusterIsAnother() {
        assertRefused(Refusal.WRONG_CLUSTER, new Hello(1, 1, "d", A, B, new byte[32]));
    }

    @Test
    void refusesDialerWhenVersionsHaveNothingInCommon() {
        assertRefused(Refusal.WRONG_VERSION, new Hello(2, 3, "c", A, B, new byte[32]));
    }

    @Test
    void takesNewestCommonVersionWhenDialerKnowsNewerOnes() {
        Challenge challenge = (Challenge) reply(acceptor.on(new Hello(1, 3, "c", A, B, new byte[32])));

        assertThat(challenge.version()).isEqualTo(1);
    }

    @Test
    void refusesDialerWhenItMeansSomebodyElse() {
        assertRefused(Refusal.WRONG_NODE, new Hello(1, 1, "c", A, new NodeId("b", 1), new byte[32]));
    }

    @Test
    void refusesDialerWhenItsNameIsNotSmaller() {
        assertRefused(Refusal.WRONG_DIRECTION, new Hello(1, 1, "c", new NodeId("c", 1), B, new byte[32]));
    }

    @Test
    void refusesDialerWhenItHasOurName() {
        assertRefused(Refusal.WRONG_DIRECTION, new Hello(1, 1, "c", B, B, new byte[32]));
    }

    @Test
    void endsWhenMessagesComeInAnotherOrder() {
        assertThat(acceptor.on(new Proof(new byte[32]))).isEqualTo(new NoLink(Refusal.MALFORMED, null));
        acceptor.on(dialer.opening());
        assertThat(acceptor.on(dialer.opening())).isEqualTo(new NoLink(Refusal.MALFORMED, null));
        assertThat(dialer.on(new Welcome(new byte[32]))).isEqualTo(new NoLink(Refusal.MALFORMED, null));
        assertThat(dialer.on(new Refused(99, 1, 1))).isEqualTo(new NoLink(Refusal.MALFORMED, null));
    }

    @Test
    void decodesOrRefusesWhenBytesAreCutOrDamaged() {
        Random random = new Random(1);
        List<HandshakeMessage> messages = List.of(
                dialer.opening(),
                new Challenge(1, new byte[32]),
                new Proof(new byte[32]),
                new Welcome(new byte[32]),
                new Refused(1, 1, 1));
        for (HandshakeMessage message : messages) {
            byte[] bytes = message.encode();
            assertThat(HandshakeMessage.decode(bytes))
                    .usingRecursiveComparison()
                    .isEqualTo(message);
            for (int length = 0; length < bytes.length; length++) {
                assertThat(decode(Arrays.copyOf(bytes, length))).isFalse();
            }
            for (int round = 0; round < 2_000; round++) {
                byte[] damaged = bytes.clone();
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
                decode(damaged);
            }
        }
    }

    private void assertRefused(Refusal why, Hello hello) {
        assertThat(acceptor.on(hello)).isEqualTo(new NoLink(why, refused(why)));
    }

    private static boolean decode(byte[] bytes) {
        try {
            HandshakeMessage.decode(bytes);
            return true;
        } catch (UnreadableRecordException refused) {
            return false;
        }
    }

    private static HandshakeMessage refused(Refusal why) {
        return new Refused(why.code(), Handshake.MIN_VERSION, Handshake.MAX_VERSION);
    }

    private static HandshakeMessage reply(Step step) {
        return ((Reply) step).message();
    }

    private static LinkIdentity identity(NodeId self, String cluster, String secret) {
        return new LinkIdentity(self, cluster, ClusterSecret.of(secret));
    }
}
