package io.tributary.cluster.node;

import io.tributary.cluster.link.NodeId;
import io.tributary.common.event.ByteReader;
import io.tributary.common.event.ByteWriter;
import io.tributary.common.event.UnreadableRecordException;
import java.util.ArrayList;
import java.util.BitSet;
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
    /** About how many neighbours all shards together are asked for. */
    private static final int NEIGHBOURS = 1 << 16;

    private static final int LEAST_NEAR = 4;
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
     * The next one: shards of processes that are none of these go to the takers that have the fewest, all at once. Then
     * shards go over to those in order, one by one: from the processes that let go of theirs, and once these have none,
     * from those that have the most, until all have the same number or one more.
     *
     * <p>Of the shards and processes that come into question it chooses those by which each process has its shards
     * spread over all numbers. Neighbours are in the same Redis primary, which would else hand out all that one dead
     * process leaves behind.
     *
     * @param keepers the processes that keep the shards that they have
     * @param takers those of them that get more, at least one
     * @param leavers other processes, which have theirs until they go over
     * @param mostMoves how many shards may go over in order
     */
    Assignment next(Collection<NodeId> keepers, Collection<NodeId> takers, Collection<NodeId> leavers, int mostMoves) {
        Map<NodeId, BitSet> shards = new TreeMap<>(Comparator.comparing(NodeId::toString));
        keepers.forEach(process -> shards.put(process, new BitSet()));
        leavers.forEach(process -> shards.put(process, new BitSet()));
        List<BitSet> ofKeepers = keepers.stream().map(shards::get).toList();
        List<BitSet> ofTakers = shards.entrySet().stream()
                .filter(each -> takers.contains(each.getKey()))
                .map(Map.Entry::getValue)
                .toList();
        List<BitSet> ofLeavers = leavers.stream().map(shards::get).toList();
        BitSet orphans = new BitSet();
        for (int shard = 0; shard < owners.size(); shard++) {
            NodeId owner = owners.get(shard);
            (owner == null ? orphans : shards.getOrDefault(owner, orphans)).set(shard);
        }
        orphans.stream().forEach(shard -> fewest(ofTakers, shard).set(shard));
        for (int moved = 0; moved < mostMoves && moveOne(ofLeavers, ofKeepers, ofTakers); moved++) {
            // until it is enough
        }
        List<@Nullable NodeId> next = new ArrayList<>(none(owners.size()).owners);
        shards.forEach((process, its) -> its.stream().forEach(shard -> next.set(shard, process)));
        return next.equals(owners) ? this : new Assignment(version + 1, next);
    }

    private boolean moveOne(List<BitSet> ofLeavers, List<BitSet> ofKeepers, List<BitSet> ofTakers) {
        boolean isLeaving = !ofLeavers.stream().allMatch(BitSet::isEmpty);
        BitSet most = Collections.max(isLeaving ? ofLeavers : ofKeepers, Comparator.comparingInt(BitSet::cardinality));
        BitSet fewest = Collections.min(ofTakers, Comparator.comparingInt(BitSet::cardinality));
        boolean moves = isLeaving || most.cardinality() - fewest.cardinality() >= 2;
        if (moves) {
            int moved = most.stream()
                    .boxed()
                    .max(Comparator.comparingDouble(shard -> crowd(shard, most) - crowd(shard, fewest)))
                    .orElseThrow();
            most.clear(moved);
            fewest.set(moved);
        }
        return moves;
    }

    /** Of those with the fewest shards the one whose shards are the farthest from this one. */
    private BitSet fewest(List<BitSet> ofTakers, int shard) {
        return Collections.min(
                ofTakers, Comparator.comparingInt(BitSet::cardinality).thenComparingDouble(its -> crowd(shard, its)));
    }

    /**
     * How near those shards are: the sum of the reciprocal distances, the last shard being next to the first. What is
     * far away, which is little, is left out where there are many shards.
     */
    private double crowd(int shard, BitSet its) {
        int all = owners.size();
        int near = Math.min(all / 2, Math.max(LEAST_NEAR, NEIGHBOURS / all));
        double sum = 0;
        for (int apart = 1; apart <= near; apart++) {
            int before = (shard + all - apart) % all;
            int behind = (shard + apart) % all;
            sum += its.get(before) ? 1.0 / apart : 0;
            sum += before != behind && its.get(behind) ? 1.0 / apart : 0;
        }
        return sum;
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
