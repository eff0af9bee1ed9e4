package io.tributary.broker.shard.fold;

import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Source;
import io.tributary.common.event.TopicState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** How far an application has come with its topic, as the fold has it: the mutable form of {@link TopicState}. */
public final class TopicProgress {
    /**
     * More sequence numbers than anybody can have used of a topic before that is logged; and so many that the packet
     * identifiers that come first are none that a client may have in use, neither those of the topic before nor of any
     * of the forty before that. There are 65,535, which follow from the numbers; this goes on by the golden section of
     * them, that of one half would be back at the first after two topics.
     */
    public static final long LEAP = 65_535L * 65_535 + 40_504;

    private final ClientKind kind;
    private @Nullable String id;
    private long base;
    private long first = 1;
    private long upTo;
    private final TreeSet<Long> settled = new TreeSet<>();
    private final TreeSet<Long> released = new TreeSet<>();
    private final Map<Integer, Source> sources = new HashMap<>();

    TopicProgress(ClientKind kind) {
        this.kind = kind;
    }

    TopicProgress(TopicState state) {
        this(state.kind());
        id = state.id();
        base = state.base();
        first = state.first();
        upTo = state.upTo();
        addTo(settled, state.settled());
        addTo(released, state.released());
        take(state.sources());
    }

    /** Where the application's messages wait: a topic of its own, or one that it shares. */
    ClientKind kind() {
        return kind;
    }

    /** Which topic it is; null when that is not logged yet. */
    public @Nullable String id() {
        return id;
    }

    /** What makes positions of the topic sequence numbers. */
    public long base() {
        return base;
    }

    /** The lowest sequence number of the topic's messages; what is below was another topic's, or is done with. */
    public long first() {
        return first;
    }

    /** Whether messages of a topic that is gone may not be done with. */
    public boolean hasLost() {
        return upTo + 1 < first;
    }

    /** The lowest position of the topic that may not be done with. */
    public long position() {
        return Math.max(upTo + 1, first) - 1 - base;
    }

    /** The highest sequence number that the log knows to have been used. */
    public long highestUsed() {
        long highest = Math.max(upTo, first - 1);
        highest = settled.isEmpty() ? highest : Math.max(highest, settled.last());
        return released.isEmpty() ? highest : Math.max(highest, released.last());
    }

    /** The topic is another one than before, or has lost its end. */
    void found(String newId, long newBase, long newFirst) {
        id = newId;
        base = newBase;
        first = newFirst;
    }

    /** All messages up to this sequence number are done with. */
    public long upTo() {
        return upTo;
    }

    /** What is done with above that. */
    public Set<Long> settled() {
        return Collections.unmodifiableSet(settled);
    }

    /** Messages of QoS 2 between PUBREC and PUBCOMP. */
    public Set<Long> released() {
        return Collections.unmodifiableSet(released);
    }

    /** The latest source up to {@link #upTo} from each shard. */
    public Map<Integer, Source> sources() {
        return Collections.unmodifiableMap(sources);
    }

    /** Clients are done with these messages. */
    void settle(long[] sequences) {
        for (long sequence : sequences) {
            released.remove(sequence);
            if (sequence > upTo) {
                settled.add(sequence);
            }
        }
    }

    /** PUBRECs came for these messages. */
    void release(long[] sequences) {
        for (long sequence : sequences) {
            if (sequence > upTo) {
                released.add(sequence);
            }
        }
    }

    /** Nothing up to a sequence number is left to do. */
    void advance(long newUpTo, Collection<Source> later) {
        if (newUpTo > upTo) {
            upTo = newUpTo;
            settled.headSet(upTo, true).clear();
            released.headSet(upTo, true).clear();
        }
        take(later);
    }

    private void take(Collection<Source> later) {
        for (Source source : later) {
            Source known = sources.get(source.shard());
            if (known == null || source.isAfter(known.offset(), known.part())) {
                sources.put(source.shard(), source);
            }
        }
    }

    TopicState toState() {
        List<Source> all = new ArrayList<>(sources.values());
        all.sort(Comparator.comparingInt(Source::shard));
        return new TopicState(kind, id, base, first, upTo, toArray(settled), toArray(released), all);
    }

    private static void addTo(Collection<Long> all, long[] sequences) {
        for (long sequence : sequences) {
            all.add(sequence);
        }
    }

    private static long[] toArray(Collection<Long> sequences) {
        return sequences.stream().mapToLong(Long::longValue).toArray();
    }
}
