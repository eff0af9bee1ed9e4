package io.tributary.broker.blackbox.cluster;

import static org.awaitility.Awaitility.await;

import io.tributary.localcluster.LocalKafka;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Ways to break a cluster. */
enum Fault {
    /** The others take its shards over, and publish the wills of its clients. */
    NODE_KILLED("node killed") {
        @Override
        Wound strike(Surgery surgery) {
            String node = surgery.anyNode();
            surgery.cluster().kill(node);
            return new Wound(node, Set.of(node), true, () -> surgery.cluster().start(node));
        }
    },
    /** The new process finds its own name still in use. */
    NODE_KILLED_AND_BACK("node killed, back at once") {
        @Override
        Wound strike(Surgery surgery) {
            String node = surgery.anyNode();
            surgery.cluster().kill(node);
            return new Wound(node, Set.of(node), false, () -> surgery.cluster().start(node));
        }
    },
    /** For longer than the others wait for it; then it wakes up and believes to own what others own by now. */
    NODE_PAUSED("node paused") {
        @Override
        Wound strike(Surgery surgery) {
            String node = surgery.anyNode();
            surgery.cluster().node(node).pause();
            long pausedAtNanos = System.nanoTime();
            return new Wound(node, Set.of(node), true, () -> {
                await().atMost(surgery.pause().multipliedBy(2))
                        .until(() -> System.nanoTime() - pausedAtNanos
                                >= surgery.pause().toNanos());
                surgery.cluster().node(node).resume();
            });
        }
    },
    NODE_STOPPED("node stopped in order") {
        @Override
        Wound strike(Surgery surgery) {
            String node = surgery.anyNode();
            surgery.cluster().stop(node);
            return new Wound(node, Set.of(node), true, () -> surgery.cluster().start(node));
        }
    },
    /** One node after the other, without a look at the cluster in between. */
    ROLLING_RESTART("all nodes restarted in turn") {
        @Override
        Wound strike(Surgery surgery) {
            List<String> nodes = surgery.cluster().names();
            return new Wound(
                    String.join(", ", nodes),
                    Set.of(),
                    false,
                    () -> nodes.forEach(node -> {
                        surgery.cluster().stop(node);
                        surgery.cluster().start(node);
                    }));
        }
    },
    REDIS_KILLED("Redis killed, back with its data") {
        @Override
        Wound strike(Surgery surgery) {
            RedisShard shard = surgery.anyRedisShard();
            shard.kill();
            return new Wound(shard.names(), Set.of(), false, shard::restart);
        }
    },
    REDIS_OLD("Redis killed, back with a snapshot") {
        @Override
        Wound strike(Surgery surgery) {
            RedisShard shard = surgery.anyRedisShard();
            Path snapshot = shard.snapshot();
            surgery.awaitTraffic();
            shard.kill();
            return new Wound(shard.names(), Set.of(), false, () -> shard.restartWith(snapshot));
        }
    },
    REDIS_EMPTY("Redis killed, back empty") {
        @Override
        Wound strike(Surgery surgery) {
            RedisShard shard = surgery.anyRedisShard();
            shard.kill();
            return new Wound(shard.names(), Set.of(), false, shard::restartEmpty);
        }
    },
    /** A replica takes over, without what had not reached it. */
    REDIS_FAILED_OVER("Redis primary killed, replaced") {
        @Override
        boolean isPossible(TestCluster cluster) {
            return cluster.redis().size() > 3;
        }

        @Override
        Wound strike(Surgery surgery) {
            RedisShard shard = surgery.anyRedisShard();
            surgery.cluster().redis().kill(shard.primary());
            await().atMost(Duration.ofSeconds(60)).until(shard::isReplaced);
            return new Wound(
                    "redis-" + shard.primary(),
                    Set.of(),
                    true,
                    () -> surgery.cluster().redis().restart(shard.primary()));
        }
    },
    KAFKA_KILLED("Kafka broker killed") {
        @Override
        Wound strike(Surgery surgery) {
            int broker = surgery.anyKafkaBroker();
            surgery.cluster().kafka().kill(broker);
            boolean goesOn = surgery.cluster().kafka().size() > 1;
            return new Wound(
                    "kafka-" + broker,
                    Set.of(),
                    goesOn,
                    () -> surgery.cluster().kafka().restart(broker));
        }
    },
    /** It ends by itself, and the last record that it has may be cut off. */
    KAFKA_FULL("Kafka broker without room, back with more") {
        @Override
        Wound strike(Surgery surgery) {
            LocalKafka kafka = surgery.cluster().kafka();
            int broker = surgery.anyKafkaBroker();
            kafka.fillDisk(broker);
            await().atMost(Duration.ofSeconds(60)).until(() -> !kafka.isRunning(broker));
            return new Wound("kafka-" + broker, Set.of(), kafka.size() > 1, () -> kafka.restart(broker));
        }
    },
    /** At the same time; with replicas of Redis and three Kafka brokers the cluster goes on. */
    ALL_KILLED("node, Kafka broker and Redis primary killed") {
        @Override
        Wound strike(Surgery surgery) {
            TestCluster cluster = surgery.cluster();
            String node = surgery.anyNode();
            int broker = surgery.anyKafkaBroker();
            RedisShard shard = surgery.anyRedisShard();
            cluster.kill(node);
            cluster.kafka().kill(broker);
            cluster.redis().kill(shard.primary());
            boolean goesOn = cluster.kafka().size() > 1 && cluster.redis().size() > 3;
            String what = node + ", kafka-" + broker + ", redis-" + shard.primary();
            return new Wound(what, Set.of(node), goesOn, () -> {
                cluster.redis().restart(shard.primary());
                cluster.kafka().restart(broker);
                cluster.start(node);
            });
        }
    };

    private final String words;

    /**
     * What a fault has left.
     *
     * @param what which parts
     * @param lostNodes the nodes that cannot be used until it is healed
     * @param goesOn whether the others work before that
     * @param cure what heals it
     */
    record Wound(String what, Set<String> lostNodes, boolean goesOn, Runnable cure) {}

    Fault(String words) {
        this.words = words;
    }

    /** Whether this cluster can survive it. */
    boolean isPossible(TestCluster cluster) {
        return true;
    }

    /** Does the harm. */
    abstract Wound strike(Surgery surgery);

    @Override
    public String toString() {
        return words;
    }
}
