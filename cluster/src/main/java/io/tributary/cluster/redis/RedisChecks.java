package io.tributary.cluster.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.ClusterPartitionParser;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.models.role.RedisInstance;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out before the start whether a Redis Cluster can be relied on. What is wrong comes as sentences that say what
 * was found, what is needed and how to mend it, all of it at once; settings have the names that they have below those
 * of Redis. Only INFO, CLUSTER NODES and a script that changes nothing are called, which managed services allow.
 */
public final class RedisChecks {
    private static final Logger LOG = LoggerFactory.getLogger(RedisChecks.class);
    private static final int OLDEST_MAJOR = 7;
    private static final int SHUTDOWN_SECONDS = 5;
    private static final long RETRY_MILLIS = 500;
    private static final Duration SAY_EACH = Duration.ofSeconds(10);

    private static final String RIGHTS_SCRIPT =
            new String(RedisScript.read("check-rights.lua"), StandardCharsets.UTF_8);

    private final RedisConfig config;
    private final RedisClient client;
    /** Where the first shard's state stands. */
    private final String position;

    private final List<String> problems = new ArrayList<>();
    private final RedisClocks clocks = new RedisClocks();
    /** Whether none of the problems is one of settings or rights, which somebody has to mend. */
    private boolean mayPass = true;

    private RedisChecks(RedisConfig config, int generation, int shards, RedisClient client) {
        position = new String(
                new ShardKeys(SlotTags.of(shards).getFirst(), generation).position(), StandardCharsets.UTF_8);
        this.config = config;
        this.client = client;
    }

    /**
     * The faults that keep the broker from using the cluster, empty if there are none. Blocks for a few times the time
     * of a call.
     *
     * @param shards how many shards the cluster of brokers has
     */
    public static List<String> problems(RedisConfig config, int shards) {
        return problems(config, 0, shards, Duration.ZERO, new CompletableFuture<>());
    }

    /**
     * The same with another generation of shards than the first, and patience: servers that cannot be reached yet, load
     * their data or are no whole cluster yet are asked again, while nothing else is wrong.
     *
     * @param limit how long such servers are waited for
     * @param givenUp completes when they are not to be waited for any more
     */
    public static List<String> problems(
            RedisConfig config, int generation, int shards, Duration limit, CompletableFuture<?> givenUp) {
        RedisClient client = RedisClient.create();
        client.setOptions(
                RedisCluster.withOptions(ClientOptions.builder(), config).build());
        try {
            long begunNanos = System.nanoTime();
            Duration said = SAY_EACH.negated();
            while (true) {
                RedisChecks checks = new RedisChecks(config, generation, shards, client);
                checks.run();
                Duration waited = Duration.ofNanos(System.nanoTime() - begunNanos);
                if (!checks.areWorthWaiting() || waited.compareTo(limit) >= 0 || !pause(givenUp)) {
                    return List.copyOf(checks.problems);
                }
                if (waited.minus(said).compareTo(SAY_EACH) >= 0) {
                    LOG.warn("still starting: {}", String.join(" ", checks.problems));
                    said = waited;
                }
            }
        } finally {
            client.shutdown(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS);
        }
    }

    private boolean areWorthWaiting() {
        return mayPass && !problems.isEmpty();
    }

    /** Waits a little; false when nobody waits any more, or the thread was interrupted. */
    private static boolean pause(CompletableFuture<?> givenUp) {
        try {
            Object _ = givenUp.get(RETRY_MILLIS, TimeUnit.MILLISECONDS);
            return false;
        } catch (TimeoutException e) {
            return true;
        } catch (ExecutionException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void run() {
        Map<RedisConfig.Node, RedisException> failures = new LinkedHashMap<>();
        for (RedisConfig.Node node : config.nodes()) {
            RedisException failure = ask(node, connection -> checkCluster(node, connection));
            if (failure == null) {
                warnOfClocks();
                return;
            }
            failures.put(node, failure);
        }
        failures.forEach(this::addFailure);
    }

    private void warnOfClocks() {
        String warning = clocks.warning();
        if (warning != null && problems.isEmpty()) {
            LOG.warn(warning);
        }
    }

    /** Asks a node something; tells why that was not possible, or null. */
    private @Nullable RedisException ask(
            RedisConfig.Node node, Consumer<StatefulRedisConnection<String, String>> question) {
        try (StatefulRedisConnection<String, String> connection =
                client.connect(StringCodec.UTF8, RedisCluster.uri(config, node))) {
            question.accept(connection);
            return null;
        } catch (RedisException e) {
            return e;
        }
    }

    private void checkCluster(RedisConfig.Node node, StatefulRedisConnection<String, String> connection) {
        List<String> noCluster =
                modeProblems(node, RedisInfo.parse(connection.sync().info("server")));
        if (!noCluster.isEmpty()) {
            addLasting(noCluster);
            return;
        }
        List<RedisClusterNode> members = List.copyOf(
                ClusterPartitionParser.parse(connection.sync().clusterNodes()).getPartitions());
        List<RedisClusterNode> primaries = members.stream()
                .filter(member -> member.getRole() == RedisInstance.Role.UPSTREAM)
                .filter(member -> !member.getSlots().isEmpty())
                .toList();
        boolean areSlotsServed = checkSlots(primaries);
        for (RedisClusterNode primary : primaries) {
            String host = primary.getUri().getHost();
            RedisConfig.Node at = host.isEmpty()
                    ? node
                    : new RedisConfig.Node(host, primary.getUri().getPort());
            boolean hasFirstShard = areSlotsServed && primary.hasSlot(SlotHash.getSlot(position));
            RedisException failure = ask(at, asked -> checkPrimary(at, asked, hasFirstShard));
            if (failure != null) {
                addFailure(at, failure);
            }
        }
        if (problems.isEmpty()) {
            members.stream().filter(RedisChecks::isReplica).forEach(this::lookAtClock);
        }
    }

    private static boolean isReplica(RedisClusterNode member) {
        return member.getRole() == RedisInstance.Role.REPLICA
                && !member.is(RedisClusterNode.NodeFlag.FAIL)
                && !member.is(RedisClusterNode.NodeFlag.EVENTUAL_FAIL)
                && !member.getUri().getHost().isEmpty();
    }

    /** One that cannot be asked is no reason not to start. */
    private void lookAtClock(RedisClusterNode replica) {
        RedisConfig.Node at = new RedisConfig.Node(
                replica.getUri().getHost(), replica.getUri().getPort());
        RedisException _ =
                ask(at, asked -> noteClock(at, RedisInfo.parse(asked.sync().info("server"))));
    }

    private void noteClock(RedisConfig.Node node, RedisInfo info) {
        clocks.note(node, info, System.nanoTime());
    }

    private void checkPrimary(
            RedisConfig.Node node, StatefulRedisConnection<String, String> connection, boolean hasFirstShard) {
        RedisInfo info = RedisInfo.parse(connection.sync().info());
        noteClock(node, info);
        addLasting(primaryProblems(node, info));
        List<String> refused = connection.sync().eval(RIGHTS_SCRIPT, ScriptOutputType.MULTI, new String[0], position);
        if (!refused.isEmpty()) {
            addLasting(List.of(RedisAccessFailure.missingRights(node, "not " + String.join(", ", refused))));
        } else if (hasFirstShard) {
            addLasting(layoutProblems(
                    node,
                    connection.sync().hget(position, Position.APPLIED),
                    connection.sync().hget(position, Position.LAYOUT)));
        }
    }

    private void addFailure(RedisConfig.Node node, RedisException failure) {
        problems.add(RedisAccessFailure.words(config, node, failure));
        mayPass &= RedisAccessFailure.mayPass(failure);
    }

    private void addLasting(List<String> found) {
        problems.addAll(found);
        mayPass &= found.isEmpty();
    }

    /**
     * The problems of the layout of what is there already, a sentence each: it has to be that of this version. The one
     * before had no number.
     */
    private static List<String> layoutProblems(
            RedisConfig.Node node, @Nullable String applied, @Nullable String layout) {
        String found = layout == null ? "1" : layout;
        return applied == null || found.equals(Integer.toString(Position.FORMAT))
                ? List.of()
                : List.of(
                        ("Redis at %s has the state of sessions in layout %s; this version has layout %d and converts none."
                                        + " Start the version that wrote it, or give this one an empty Redis and an empty Kafka.")
                                .formatted(node, found, Position.FORMAT));
    }

    private boolean checkSlots(List<RedisClusterNode> primaries) {
        BitSet covered = new BitSet(SlotHash.SLOT_COUNT);
        for (RedisClusterNode primary : primaries) {
            if (!primary.is(RedisClusterNode.NodeFlag.FAIL)) {
                primary.getSlots().forEach(covered::set);
            }
        }
        int missing = SlotHash.SLOT_COUNT - covered.cardinality();
        if (missing > 0) {
            problems.add(
                    ("%d of the Redis Cluster's %d slots are served by no primary, the first is %d; all are needed. Bring the"
                                    + " failed primaries back, or run redis-cli --cluster fix.")
                            .formatted(missing, SlotHash.SLOT_COUNT, covered.nextClearBit(0)));
        }
        return missing == 0;
    }

    /** The problems of a server's mode, a sentence each: it has to be part of a cluster. */
    static List<String> modeProblems(RedisConfig.Node node, RedisInfo info) {
        String mode = info.get("redis_mode");
        return mode.equals("cluster")
                ? List.of()
                : List.of(
                        ("Redis at %s runs in mode %s; a Redis Cluster is needed. Set cluster-enabled yes and create a"
                                        + " cluster, or name the nodes of one.")
                                .formatted(node, mode));
    }

    /** The problems of a primary, a sentence each: it has to be new enough, and to keep what it is given. */
    static List<String> primaryProblems(RedisConfig.Node node, RedisInfo info) {
        List<String> found = new ArrayList<>();
        if (!info.isValkey() && info.major("redis_version") < OLDEST_MAJOR) {
            found.add("Redis at %s is version %s; 7.0 or newer, or Valkey, is needed. Upgrade it."
                    .formatted(node, info.get("redis_version")));
        }
        String policy = info.get("maxmemory_policy");
        if (!policy.equals("noeviction")) {
            found.add(("Redis at %s has maxmemory-policy %s, which deletes messages when memory is short; noeviction is"
                            + " needed. Set it on every node, in redis.conf or with the service's parameters.")
                    .formatted(node, policy));
        }
        return found;
    }
}
