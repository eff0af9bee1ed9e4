package io.tributary.cluster.link;

import io.tributary.cluster.link.HandshakeMessage.Challenge;
import io.tributary.cluster.link.HandshakeMessage.Hello;
import io.tributary.cluster.link.HandshakeMessage.Proof;
import io.tributary.cluster.link.HandshakeMessage.Refused;
import io.tributary.cluster.link.HandshakeMessage.Welcome;
import org.jspecify.annotations.Nullable;

/** The side of a {@link Handshake} that connected. */
final class DialerHandshake extends Handshake {
    private final Hello hello;
    private byte @Nullable [] challenge;
    private @Nullable LinkKey key; // the one that was used, whatever the secret is by now

    /** Creates one that means the given process of a node. */
    DialerHandshake(LinkIdentity identity, NodeId to) {
        super(identity);
        hello = new Hello(MIN_VERSION, MAX_VERSION, identity.clusterId(), identity.self(), to, nonce());
    }

    /** The first message of all. */
    HandshakeMessage opening() {
        return hello;
    }

    @Override
    Step on(HandshakeMessage message) {
        return switch (message) {
            case Challenge given when challenge == null -> answer(given);
            case Welcome welcome when challenge != null && key != null -> conclude(welcome, key, challenge);
            case Refused refused -> giveUp(refused);
            default -> malformed();
        };
    }

    @Override
    NodeId claimed() {
        return hello.to();
    }

    private Step answer(Challenge given) {
        if (given.version() < MIN_VERSION || given.version() > MAX_VERSION) {
            return new NoLink(Refusal.WRONG_VERSION, null);
        }
        byte[] encoded = given.encode();
        LinkKey first = identity.secret().keys().getFirst();
        challenge = encoded;
        key = first;
        return new Reply(new Proof(dialerProof(first, hello.encode(), encoded)));
    }

    private Step conclude(Welcome welcome, LinkKey used, byte[] encodedChallenge) {
        return isSame(acceptorProof(used, hello.encode(), encodedChallenge), welcome.proof())
                ? new Authenticated(hello.to(), null)
                : new NoLink(Refusal.WRONG_SECRET, null);
    }

    private static Step giveUp(Refused refused) {
        Refusal why = Refusal.of(refused.code());
        return why == null ? malformed() : new NoLink(why, null);
    }
}
