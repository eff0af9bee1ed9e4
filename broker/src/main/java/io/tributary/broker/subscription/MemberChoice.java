package io.tributary.broker.subscription;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToIntFunction;

/** One group's choice among its members, by the strategy that is configured. Any thread. */
final class MemberChoice {
    private static final int SAMPLE = 16;

    private final SharedStrategy strategy;
    private final ToIntFunction<Subscriber> inFlight;
    private final AtomicInteger turn = new AtomicInteger();

    MemberChoice(SharedStrategy strategy, ToIntFunction<Subscriber> inFlight) {
        this.strategy = strategy;
        this.inFlight = inFlight;
    }

    /** The index of the member to choose; there is at least one. */
    int choose(Receiver[] members, String publisher, String topic) {
        if (members.length == 1) {
            return 0;
        }
        return switch (strategy) {
            case ROUND_ROBIN -> nextTurn(members);
            case LEAST_IN_FLIGHT -> leastInFlight(members);
            case STICKY_BY_PUBLISHER -> heaviest(members, publisher);
            case HASH_OF_TOPIC -> heaviest(members, topic);
        };
    }

    private int nextTurn(Receiver[] members) {
        return Math.floorMod(turn.getAndIncrement(), members.length);
    }

    /**
     * Begins at the next member in turn. Where this node does not know how busy that one is, it is chosen; else the
     * least busy of it and those behind it, up to 16, leaving out those of which that is not known.
     */
    private int leastInFlight(Receiver[] members) {
        int first = nextTurn(members);
        int best = first;
        int fewest = Integer.MAX_VALUE;
        for (int i = 0; i < Math.min(SAMPLE, members.length) && fewest > 0; i++) {
            int index = (first + i) % members.length;
            int count = inFlightOf(members[index]);
            if (i == 0 && count < 0) {
                return first;
            }
            if (count >= 0 && count < fewest) {
                fewest = count;
                best = index;
            }
        }
        return best;
    }

    /** Negative when this node does not know. */
    private int inFlightOf(Receiver member) {
        Subscriber subscriber = member.subscriber();
        return subscriber.node() == null ? inFlight.applyAsInt(subscriber) : -1;
    }

    /** Rendezvous hashing: of a key, only the member with the greatest weight matters, whichever others come or go. */
    private static int heaviest(Receiver[] members, String key) {
        int best = 0;
        long greatest = Long.MIN_VALUE;
        for (int i = 0; i < members.length; i++) {
            long weight = weight(members[i].subscriber().clientId(), key);
            if (weight > greatest) {
                greatest = weight;
                best = i;
            }
        }
        return best;
    }

    /** Mixes two hash codes so that each bit of them counts for each of the result (the finalizer of MurmurHash 3). */
    private static long weight(String clientId, String key) {
        long hash = ((long) clientId.hashCode() << 32) | (key.hashCode() & 0xFFFF_FFFFL);
        hash = (hash ^ (hash >>> 33)) * 0xFF51AFD7ED558CCDL;
        hash = (hash ^ (hash >>> 33)) * 0xC4CEB9FE1A85EC53L;
        return hash ^ (hash >>> 33);
    }
}
