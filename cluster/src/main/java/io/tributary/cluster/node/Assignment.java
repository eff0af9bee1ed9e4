package io.tributary.cluster.node;

import io.tributary.cluster.link.NodeId;
import io.tributary.common.event.ByteReader;
import io.tributary.common.event.ByteWriter;
import io.tributary.common.event.UnreadableRecordException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Which process is to own each shard. The node table has the newest one under {@link #KEY}. It says who tries: that a
 * shard has one owner is seen to by the shard's log and the store.
 *
 * @param version grows by one with each that is written; 0 for the one of a cluster that has none yet
 * @param owners for each shard its process; null for none
 */
public record Assignment(long version, List<@Nullable NodeId> owners) {
    /** The key in the node table; no node can be called so. */
    public static final String KEY = "#shards";

    private static final int FORMAT = 1;
    private static final int BYTES_A_SHARD = 2;
    private static final int BYTES_A_NODE = 40;

    public Assignment {
        owners = Collections.unmodifiableList(new ArrayList<>(owners));
    }

    /** The one of a cluster that has none yet. */
    static Assignment none(int shards) {
        List<@Nullable NodeId> owners = new ArrayList<>();
        for (int shard = 0; shard < shards; shard++) {
            owners.add(null);
        }
        return new Assignment(0, owners);
    }

    /** The shards of a process, in their order. */
    Set<Integer> shardsOf(@Nullable NodeId process) {
        Set<Integer> shards = new TreeSet<>();
        for (int shard = 0; shard < owners.size(); shard++) {
            if (process != null && process.equals(owners.get(shard))) {
                shards.add(shard);
            }
        }
        return shards;
    }

    /**
     * The next one: shards whose process keeps none go to the takers that have the fewest; then shards go over to
     * those, one by one, from the processes that have the most, until all have the same number or one more.
     *
     * @param keepers the processes that keep the shards that they have
     * @param takers those of them that get more, at least one
     * @param mostMoves how many shards may go over from one that keeps them
     */
    Assignment next(Collection<NodeId> keepers, Collection<NodeId> takers, int mostMoves) {
        Map<NodeId, List<Integer>> byKeeper = new TreeMap<>(Comparator.comparing(NodeId::toString));
        keepers.forEach(keeper -> byKeeper.put(keeper, new ArrayList<>()));
        List<List<Integer>> ofTakers = new ArrayList<>();
        byKeeper.forEach((keeper, shards) -> {
            if (takers.contains(keeper)) {
                ofTakers.add(shards);
            }
        });
        List<Integer> orphans = new ArrayList<>();
        for (int shard = 0; shard < owners.size(); shard++) {
            NodeId owner = owners.get(shard);
            List<Integer> shards = owner == null ? null : byKeeper.get(owner);
            (shards == null ? orphans : shards).add(shard);
        }
        orphans.forEach(shard -> fewest(ofTakers).add(shard));
        for (int moved = 0; moved < mostMoves; moved++) {
            List<Integer> most = most(byKeeper);
            List<Integer> fewest = fewest(ofTakers);
            if (most.size() - fewest.size() < 2) {
                break;
            }
            fewest.add(most.removeLast());
        }
        List<@Nullable NodeId> next = new ArrayList<>(none(owners.size()).owners);
        byKeeper.forEach((keeper, shards) -> shards.forEach(shard -> next.set(shard, keeper)));
        return next.equals(owners) ? this : new Assignment(version + 1, next);
    }

    private static List<Integer> fewest(List<List<Integer>> ofTakers) {
        return Collections.min(ofTakers, Comparator.comparingInt(List::size));
    }

    private static List<Integer> most(Map<NodeId, List<Integer>> byKeeper) {
        return Collections.max(byKeeper.values(), Comparator.comparingInt(List::size));
    }

    byte[] encode() {
        Map<NodeId, Integer> numbers = new LinkedHashMap<>();
        owners.forEach(owner -> {
            if (owner != null) {
                numbers.putIfAbsent(owner, numbers.size() + 1);
            }
        });
        ByteWriter writer = new ByteWriter(BYTES_A_SHARD * owners.size() + BYTES_A_NODE * numbers.size());
        writer.writeByte(FORMAT);
        writer.writeNumber(version);
        writer.writeList(List.copyOf(numbers.keySet()), Assignment::write);
        writer.writeList(
                owners.stream()
                        .map(owner -> owner == null ? 0 : numbers.getOrDefault(owner, 0))
                        .toList(),
                (to, number) -> to.writeNumber(number));
        return writer.toBytes();
    }

    /**
     * Decodes a value.
     *
     * @throws UnreadableRecordException when the bytes are none, or one of a newer format
     */
    public static Assignment decode(byte[] value) {
        ByteReader reader = new ByteReader(value);
        reader.expectFormat(FORMAT);
        long version = reader.readNumber();
        List<NodeId> nodes = reader.readList(Assignment::read);
        List<Integer> numbers = reader.readList(ByteReader::readInt);
        reader.expectEnd();
        List<@Nullable NodeId> owners = new ArrayList<>();
        for (int number : numbers) {
            if (number < 0 || number > nodes.size()) {
                throw new UnreadableRecordException(
                        "an assignment of shards names node " + number + " of " + nodes.size());
            }
            owners.add(number == 0 ? null : nodes.get(number - 1));
        }
        return new Assignment(version, owners);
    }

    /** Writes the name of a process. */
    static void write(ByteWriter writer, NodeId process) {
        writer.writeString(process.name());
        writer.writeNumber(process.incarnation());
    }

    /** Reads what {@link #write} has written. */
    static NodeId read(ByteReader reader) {
        try {
            return new NodeId(reader.readString(), reader.readNumber());
        } catch (IllegalArgumentException e) {
            throw new UnreadableRecordException("no process of a node: " + e.getMessage());
        }
    }
}
