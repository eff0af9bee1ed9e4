package io.tributary.cluster.link;

import io.tributary.cluster.link.HandshakeMessage.Challenge;
import io.tributary.cluster.link.HandshakeMessage.Hello;
import io.tributary.cluster.link.HandshakeMessage.Proof;
import io.tributary.cluster.link.HandshakeMessage.Welcome;
import org.jspecify.annotations.Nullable;

/** The side of a {@link Handshake} that was connected to. */
final class AcceptorHandshake extends Handshake {
    private @Nullable Hello hello;
    private byte[] challenge = {};

    AcceptorHandshake(LinkIdentity identity) {
        super(identity);
    }

    @Override
    Step on(HandshakeMessage message) {
        return switch (message) {
            case Hello first when hello == null -> challenge(first);
            case Proof proof when hello != null -> conclude(hello, proof);
            default -> malformed();
        };
    }

    @Override
    @Nullable
    NodeId claimed() {
        return hello == null ? null : hello.from();
    }

    private Step challenge(Hello first) {
        hello = first;
        Refusal objection = objectionTo(first);
        if (objection != null) {
            return refuse(objection);
        }
        Challenge given = new Challenge(Math.min(MAX_VERSION, first.maxVersion()), nonce());
        challenge = given.encode();
        return new Reply(given);
    }

    private @Nullable Refusal objectionTo(Hello first) {
        if (first.maxVersion() < MIN_VERSION || first.minVersion() > MAX_VERSION) {
            return Refusal.WRONG_VERSION;
        }
        if (!first.clusterId().equals(identity.clusterId())) {
            return Refusal.WRONG_CLUSTER;
        }
        if (!first.to().equals(identity.self())) {
            return Refusal.WRONG_NODE;
        }
        return first.from().name().compareTo(identity.self().name()) < 0 ? null : Refusal.WRONG_DIRECTION;
    }

    private Step conclude(Hello said, Proof proof) {
        byte[] encodedHello = said.encode();
        for (LinkKey key : identity.secret().keys()) {
            if (isSame(dialerProof(key, encodedHello, challenge), proof.proof())) {
                return new Authenticated(said.from(), new Welcome(acceptorProof(key, encodedHello, challenge)));
            }
        }
        return refuse(Refusal.WRONG_SECRET);
    }

    private static NoLink refuse(Refusal why) {
        return new NoLink(why, refused(why));
    }
}
