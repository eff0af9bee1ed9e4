package io.tributary.cluster.link;

import io.tributary.cluster.link.HandshakeMessage.Refused;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/**
 * How two nodes make sure of each other, as one side of it:
 *
 * <pre>
 * dialer                                                        acceptor
 *   Hello(versions, cluster, from, to, nonce)       -&gt;
 *                                                   &lt;-   Challenge(version, nonce) | Refused
 *   Proof(HMAC(secret, "dialer", Hello, Challenge)) -&gt;
 *                                                   &lt;-   Welcome(HMAC(secret, "acceptor", Hello,
 *                                                               Challenge)) | Refused
 * </pre>
 *
 * <p>The proofs cover all that was said and who said it, so none can be sent back, used again, or used towards another
 * node. The acceptor proves nothing to a dialer that has not. While a secret takes the place of another one, the dialer
 * uses its first, and the acceptor the one of its two that the dialer has used. No I/O; confined to the event loop.
 */
abstract sealed class Handshake permits DialerHandshake, AcceptorHandshake {
    /** The versions of the link protocol that this node speaks. */
    static final int MIN_VERSION = 1;

    static final int MAX_VERSION = 1;

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final byte[] DIALER = "tributary link: dialer".getBytes(StandardCharsets.UTF_8);
    private static final byte[] ACCEPTOR = "tributary link: acceptor".getBytes(StandardCharsets.UTF_8);

    final LinkIdentity identity;

    Handshake(LinkIdentity identity) {
        this.identity = identity;
    }

    /** What follows from a message. */
    sealed interface Step {}

    /** A message is to be sent. */
    record Reply(HandshakeMessage message) implements Step {}

    /**
     * The peer is who it says.
     *
     * @param last what is to be sent when the link is up, or null
     */
    record Authenticated(NodeId peer, @Nullable HandshakeMessage last) implements Step {}

    /**
     * There is no link.
     *
     * @param answer what is to be sent before closing, or null
     */
    record NoLink(Refusal why, @Nullable HandshakeMessage answer) implements Step {}

    /** Takes a message of the peer. Nothing follows {@link Authenticated} or {@link NoLink}. */
    abstract Step on(HandshakeMessage message);

    /** Who the peer says it is, as far as that is known; nothing is proved yet. */
    abstract @Nullable NodeId claimed();

    static byte[] nonce() {
        byte[] nonce = new byte[HandshakeMessage.NONCE_BYTES];
        RANDOM.nextBytes(nonce);
        return nonce;
    }

    static NoLink malformed() {
        return new NoLink(Refusal.MALFORMED, null);
    }

    /** What the acceptor sends in place of an answer. */
    static HandshakeMessage refused(Refusal why) {
        return new Refused(why.code(), MIN_VERSION, MAX_VERSION);
    }

    static byte[] dialerProof(LinkKey key, byte[] hello, byte[] challenge) {
        return key.sign(DIALER, hello, challenge);
    }

    static byte[] acceptorProof(LinkKey key, byte[] hello, byte[] challenge) {
        return key.sign(ACCEPTOR, hello, challenge);
    }

    /** In the same time whatever differs. */
    static boolean isSame(byte[] expected, byte[] given) {
        return MessageDigest.isEqual(expected, given);
    }
}
