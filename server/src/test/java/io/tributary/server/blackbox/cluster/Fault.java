package io.tributary.server.blackbox.cluster;

import static org.awaitility.Awaitility.await;

import io.tributary.localcluster.LocalKafka;
import io.tributary.localcluster.LocalRedis;
import io.tributary.server.blackbox.Operator;
import io.tributary.server.blackbox.Operator.Outcome;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Ways to break a cluster. */
enum Fault {
    /** The others take its shards over, and publish the wills of its clients. */
    NODE_KILLED("node killed") {
        @Override
        InflictedFault strike(FaultContext context) {
            String node = context.anyNode();
            context.cluster().kill(node);
            return new InflictedFault(
                    node, Set.of(node), true, () -> context.cluster().start(node));
        }
    },
    /** The new process finds its own name still in use. */
    NODE_KILLED_AND_BACK("node killed, back at once") {
        @Override
        InflictedFault strike(FaultContext context) {
            String node = context.anyNode();
            context.cluster().kill(node);
            return new InflictedFault(
                    node, Set.of(node), false, () -> context.cluster().start(node));
        }
    },
    /** For longer than the others wait for it; then it wakes up and believes to own what others own by now. */
    NODE_PAUSED("node paused") {
        @Override
        InflictedFault strike(FaultContext context) {
            String node = context.anyNode();
            context.cluster().node(node).pause();
            long pausedAtNanos = System.nanoTime();
            return new InflictedFault(node, Set.of(node), true, () -> {
                Fault.awaitElapsed(context.pause().minusNanos(System.nanoTime() - pausedAtNanos));
                context.cluster().node(node).resume();
            });
        }
    },
    NODE_STOPPED("node stopped in order") {
        @Override
        InflictedFault strike(FaultContext context) {
            String node = context.anyNode();
            context.cluster().stop(node);
            return new InflictedFault(
                    node, Set.of(node), true, () -> context.cluster().start(node));
        }
    },
    /** Nothing that anybody needs is left in the process when it says so: it is killed then. */
    NODE_DRAINED("node drained and killed") {
        @Override
        InflictedFault strike(FaultContext context) {
            String node = context.anyNode();
            TestCluster cluster = context.cluster();
            Outcome drained = new Operator(cluster.tokenFile())
                    .drain(cluster.node(node), "--node=" + node, "--serve-for=2s", "--rate=10", "--wait");
            if (drained.exit() != 0) {
                throw new AssertionError(node + " is not drained: " + drained.printed());
            }
            cluster.kill(node);
            return new InflictedFault(node, Set.of(node), true, () -> cluster.start(node));
        }
    },
    /** As Kubernetes takes away what is too many, and back: those that stop hand nothing over to each other. */
    ALL_BUT_ONE_STOPPED("all nodes but one stopped in order at the same time, and back") {
        @Override
        InflictedFault strike(FaultContext context) {
            TestCluster cluster = context.cluster();
            String stays = context.anyNode();
            Set<String> others = cluster.names().stream()
                    .filter(node -> !node.equals(stays))
                    .collect(Collectors.toUnmodifiableSet());
            others.parallelStream().forEach(cluster::stop);
            return new InflictedFault(
                    "all but " + stays,
                    others,
                    true,
                    () -> others.parallelStream().forEach(cluster::start));
        }
    },
    /** One node after the other, without a look at the cluster in between. */
    ROLLING_RESTART("all nodes restarted in turn") {
        @Override
        InflictedFault strike(FaultContext context) {
            List<String> nodes = context.cluster().names();
            return new InflictedFault(
                    String.join(", ", nodes),
                    Set.of(),
                    false,
                    () -> nodes.forEach(node -> {
                        context.cluster().stop(node);
                        context.cluster().start(node);
                    }));
        }
    },
    /** The others take over what it owned; it may keep its clients. */
    NODE_WITHOUT_REDIS("node cut off from Redis") {
        @Override
        boolean isPossible(TestCluster cluster) {
            return cluster.hasWays();
        }

        @Override
        InflictedFault strike(FaultContext context) {
            String node = context.anyNode();
            NodeWays ways = context.cluster().ways(node);
            ways.cutRedis();
            TestCluster cluster = context.cluster();
            cluster.awaitOwners(cluster.names().size() - 1, Duration.ofSeconds(60));
            return new InflictedFault(node, Set.of(), true, ways::heal);
        }
    },
    /** It sends its clients away before the others publish their wills. */
    NODE_WITHOUT_KAFKA("node cut off from Kafka") {
        @Override
        boolean isPossible(TestCluster cluster) {
            return cluster.hasWays();
        }

        @Override
        InflictedFault strike(FaultContext context) {
            String node = context.anyNode();
            NodeWays ways = context.cluster().ways(node);
            ways.cutKafka();
            return new InflictedFault(node, Set.of(node), true, ways::heal);
        }
    },
    /** One of them serves no clients until it is mended. */
    LINK_CUT("link between two nodes cut") {
        @Override
        boolean isPossible(TestCluster cluster) {
            return cluster.hasWays();
        }

        @Override
        InflictedFault strike(FaultContext context) {
            NodeWays ways = context.cluster().ways("n2");
            ways.cutLinks();
            return new InflictedFault("n1 - n2", Set.of("n2"), true, ways::heal);
        }
    },
    REDIS_KILLED("Redis killed, back with its data") {
        @Override
        InflictedFault strike(FaultContext context) {
            RedisShard shard = context.anyRedisShard();
            shard.kill();
            return new InflictedFault(shard.names(), Set.of(), false, shard::restart);
        }
    },
    REDIS_OLD("Redis killed, back with a snapshot") {
        @Override
        InflictedFault strike(FaultContext context) {
            RedisShard shard = context.anyRedisShard();
            Path snapshot = shard.snapshot();
            context.awaitTraffic();
            shard.kill();
            return new InflictedFault(shard.names(), Set.of(), false, () -> shard.restartWith(snapshot));
        }
    },
    REDIS_EMPTY("Redis killed, back empty") {
        @Override
        InflictedFault strike(FaultContext context) {
            RedisShard shard = context.anyRedisShard();
            shard.kill();
            return new InflictedFault(shard.names(), Set.of(), false, shard::restartEmpty);
        }
    },
    /** A replica takes over, without what had not reached it. */
    REDIS_FAILED_OVER("Redis primary killed, replaced") {
        @Override
        boolean isPossible(TestCluster cluster) {
            return cluster.redis().size() > 3;
        }

        @Override
        InflictedFault strike(FaultContext context) {
            RedisShard shard = context.anyRedisShard();
            context.cluster().redis().kill(shard.primary());
            await().atMost(Duration.ofSeconds(60)).until(shard::isReplaced);
            return new InflictedFault(
                    "redis-" + shard.primary(),
                    Set.of(),
                    true,
                    () -> context.cluster().redis().restart(shard.primary()));
        }
    },
    KAFKA_KILLED("Kafka broker killed") {
        @Override
        InflictedFault strike(FaultContext context) {
            int broker = context.anyKafkaBroker();
            context.cluster().kafka().kill(broker);
            boolean goesOn = context.cluster().kafka().size() > 1;
            return new InflictedFault(
                    "kafka-" + broker,
                    Set.of(),
                    goesOn,
                    () -> context.cluster().kafka().restart(broker));
        }
    },
    /** It ends by itself, and the last record that it has may be cut off. */
    KAFKA_FULL("Kafka broker without room, back with more") {
        @Override
        InflictedFault strike(FaultContext context) {
            LocalKafka kafka = context.cluster().kafka();
            int broker = context.anyKafkaBroker();
            kafka.fillDisk(broker);
            await().atMost(Duration.ofSeconds(60)).until(() -> !kafka.isRunning(broker));
            return new InflictedFault("kafka-" + broker, Set.of(), kafka.size() > 1, () -> kafka.restart(broker));
        }
    },
    /**
     * All copies of a shard's log lose their last records: power lost before the disk had them. Redis has what they
     * said; nobody misses it, for what Redis loses later could not be rebuilt from this log.
     */
    KAFKA_TAIL_LOST("Kafka killed, back without the end of a log") {
        @Override
        InflictedFault strike(FaultContext context) {
            TestCluster cluster = context.cluster();
            LocalKafka kafka = cluster.kafka();
            String log = TestCluster.SHARDS + "-" + context.random().nextInt(cluster.shards());
            context.traffic().calm();
            List<Integer> brokers =
                    IntStream.rangeClosed(1, kafka.size()).boxed().toList();
            List<Long> before =
                    brokers.stream().map(broker -> kafka.logBytes(broker, log)).toList();
            context.traffic().probe();
            cluster.awaitSaved(Duration.ofSeconds(60));
            brokers.forEach(kafka::kill);
            for (int broker : brokers) {
                long kept = before.get(broker - 1);
                kafka.cutLog(broker, log, kept + (kafka.logBytes(broker, log) - kept) / 2);
            }
            return new InflictedFault(log, Set.of(), false, () -> {
                kafka.restartAll();
                context.traffic().goOn();
            });
        }
    },
    /** There is no way back: from now on there is one that is no shard's. */
    PARTITION_ADDED("partition added to the shards' topic") {
        @Override
        InflictedFault strike(FaultContext context) {
            int count = context.cluster().addPartition();
            context.awaitTraffic();
            return new InflictedFault("now " + count, Set.of(), true, () -> {});
        }
    },
    /** An administrator did it, who waited until all that was in it was acknowledged. */
    APPLICATION_TOPIC_DELETED("topic of an application deleted") {
        @Override
        InflictedFault strike(FaultContext context) {
            context.traffic().calm();
            String topic = context.any(context.cluster().applicationTopics());
            context.cluster().deleteTopic(topic);
            context.traffic().goOn();
            return new InflictedFault(topic, Set.of(), false, () -> {});
        }
    },
    /** A node's wall clock jumps, and back; Kafka takes what is up to an hour ahead. */
    CLOCK_JUMPED("node's clock set off") {
        @Override
        boolean isPossible(TestCluster cluster) {
            return cluster.hasClocks();
        }

        @Override
        InflictedFault strike(FaultContext context) {
            String node = context.anyNode();
            WallClock clock = context.cluster().clock(node);
            Duration ahead = context.any(List.of(Duration.ofMinutes(55), Duration.ofMinutes(-55), Duration.ofDays(-1)));
            clock.setOff(ahead);
            context.awaitTraffic();
            return new InflictedFault(node + " by " + ahead, Set.of(), true, () -> Fault.putRight(clock, context));
        }
    },
    /** A process that starts with a wrong clock, and is put right while it runs. */
    CLOCK_WRONG_AT_START("node started with its clock set off") {
        @Override
        boolean isPossible(TestCluster cluster) {
            return cluster.hasClocks();
        }

        @Override
        InflictedFault strike(FaultContext context) {
            String node = context.anyNode();
            WallClock clock = context.cluster().clock(node);
            Duration ahead = context.any(List.of(Duration.ofMinutes(55), Duration.ofMinutes(-55)));
            context.cluster().stop(node);
            clock.setOff(ahead);
            context.cluster().start(node);
            context.awaitTraffic();
            return new InflictedFault(node + " by " + ahead, Set.of(), true, () -> Fault.putRight(clock, context));
        }
    },
    /** Nothing answers, and no connection ends. */
    REDIS_PAUSED("Redis paused") {
        @Override
        InflictedFault strike(FaultContext context) {
            Runnable resume = Fault.pauseRedis(context);
            return new InflictedFault("all", Set.of(), false, resume);
        }
    },
    /** The shards of the lost node have no owner for as long as Redis is away: what comes for them waits in Kafka. */
    REDIS_PAUSED_NODE_KILLED("Redis paused, a node killed meanwhile") {
        @Override
        InflictedFault strike(FaultContext context) {
            Runnable resume = Fault.pauseRedis(context);
            String node = context.cluster().names().getLast();
            context.cluster().kill(node);
            return new InflictedFault(node, Set.of(), false, () -> {
                resume.run();
                context.cluster().start(node);
            });
        }
    },
    /** At the same time; with replicas of Redis and three Kafka brokers the cluster goes on. */
    ALL_KILLED("node, Kafka broker and Redis primary killed") {
        @Override
        InflictedFault strike(FaultContext context) {
            TestCluster cluster = context.cluster();
            String node = context.anyNode();
            int broker = context.anyKafkaBroker();
            RedisShard shard = context.anyRedisShard();
            cluster.kill(node);
            cluster.kafka().kill(broker);
            cluster.redis().kill(shard.primary());
            boolean goesOn = cluster.kafka().size() > 1 && cluster.redis().size() > 3;
            String what = node + ", kafka-" + broker + ", redis-" + shard.primary();
            return new InflictedFault(what, Set.of(node), goesOn, () -> {
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
    record InflictedFault(String what, Set<String> lostNodes, boolean goesOn, Runnable cure) {}

    Fault(String words) {
        this.words = words;
    }

    /** Whether this cluster can survive it. */
    boolean isPossible(TestCluster cluster) {
        return true;
    }

    /** Does the harm. */
    abstract InflictedFault strike(FaultContext context);

    /** A node whose clock is set begins anew, and is not to be struck while it does. */
    private static void putRight(WallClock clock, FaultContext context) {
        clock.setOff(Duration.ZERO);
        context.cluster().awaitShardsStaySpread(Duration.ofSeconds(5), Duration.ofMinutes(2));
    }

    /** Has Redis stand still; gives what lets it go on, at the end of the outage. */
    private static Runnable pauseRedis(FaultContext context) {
        LocalRedis redis = context.cluster().redis();
        IntStream.rangeClosed(1, redis.size()).forEach(redis::pause);
        long pausedAtNanos = System.nanoTime();
        return () -> {
            awaitElapsed(context.outage().minusNanos(System.nanoTime() - pausedAtNanos));
            IntStream.rangeClosed(1, redis.size()).forEach(redis::resume);
        };
    }

    /** The fault itself takes so long. */
    private static void awaitElapsed(Duration duration) {
        long beginNanos = System.nanoTime();
        await().atMost(duration.abs().multipliedBy(2).plusSeconds(10))
                .until(() -> System.nanoTime() - beginNanos >= duration.toNanos());
    }

    @Override
    public String toString() {
        return words;
    }
}
