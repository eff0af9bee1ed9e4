package io.tributary.cluster.kafka.layout;

import io.tributary.cluster.kafka.KafkaConfig;

/**
 * Which shards a cluster has. A generation is a number of shards with a topic and with keys in Redis of its own; each
 * time that the shards are changed, another one begins.
 *
 * @param generation its number: 0 for the shards that the cluster was created with; later ones are higher, not dense
 * @param shards how many shards it has
 * @param base what is added to each offset of the topic, see {@link KafkaConfig.Generation}
 */
public record ShardLayout(int generation, int shards, long base) {
    /** The shards that a cluster is created with. */
    public static ShardLayout first(int shards) {
        return new ShardLayout(0, shards, 0);
    }

    /** The configuration with the topic of these shards. */
    public KafkaConfig in(KafkaConfig kafka) {
        return kafka.withGeneration(new KafkaConfig.Generation(generation, base));
    }
}
