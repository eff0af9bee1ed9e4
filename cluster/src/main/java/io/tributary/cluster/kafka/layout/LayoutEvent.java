package io.tributary.cluster.kafka.layout;

/** What happens to the shards of a cluster as a whole; {@link LayoutHistory} is the fold. */
public sealed interface LayoutEvent {
    /**
     * A process begins to make another generation, whose number is the offset of this record and one. Whoever began one
     * before is not to end it any more.
     *
     * @param fromShards how many shards the generation has that counts
     * @param shards how many the new one is to have
     * @param maxRecordBytes {@code max.message.bytes} of the topic that counts, which is changed meanwhile
     */
    record Begun(int fromShards, int shards, int maxRecordBytes) implements LayoutEvent {}

    /**
     * The generation that was begun last is whole, and counts from here on; nothing if another was begun since.
     *
     * @param base its {@link ShardLayout#base}
     */
    record Switched(int generation, long base) implements LayoutEvent {}

    /** The generation that was begun last is given up; nothing if another was begun since. */
    record Abandoned(int generation) implements LayoutEvent {}
}
