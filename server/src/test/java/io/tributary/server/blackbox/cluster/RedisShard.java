package io.tributary.server.blackbox.cluster;

import io.tributary.localcluster.LocalRedis;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * A third of the slots of a Redis Cluster: the server that is its primary now, and its replicas.
 *
 * @param servers their numbers, the primary's first
 */
record RedisShard(LocalRedis redis, List<Integer> servers) {

    RedisShard {
        servers = List.copyOf(servers);
    }

    /** Any of them; all servers must run. */
    static RedisShard any(LocalRedis redis, Random random) {
        List<Integer> primaries = IntStream.rangeClosed(1, redis.size())
                .filter(i -> isPrimary(redis, i))
                .boxed()
                .toList();
        int primary = primaries.get(random.nextInt(primaries.size()));
        List<Integer> servers = new ArrayList<>(List.of(primary));
        for (int i = 1; i <= redis.size(); i++) {
            if (i != primary && follows(redis, i, primary)) {
                servers.add(i);
            }
        }
        return new RedisShard(redis, servers);
    }

    int primary() {
        return servers.getFirst();
    }

    String names() {
        return String.join(" and ", servers.stream().map(i -> "redis-" + i).toList());
    }

    /** Whether the cluster has a new primary for this third, as a server of another one sees it. */
    boolean isReplaced() {
        int other = IntStream.rangeClosed(1, redis.size())
                .filter(i -> !servers.contains(i))
                .findFirst()
                .orElseThrow();
        return redis.isWhole(other) && servers.stream().skip(1).anyMatch(i -> isPrimary(redis, i));
    }

    Path snapshot() {
        return redis.snapshot(primary());
    }

    void kill() {
        servers.forEach(redis::kill);
    }

    void restart() {
        servers.forEach(redis::restart);
    }

    void restartWith(Path snapshot) {
        servers.forEach(i -> redis.restartWith(i, snapshot));
    }

    void restartEmpty() {
        servers.forEach(redis::restartEmpty);
    }

    private static boolean isPrimary(LocalRedis redis, int i) {
        return redis.call(i, "ROLE").startsWith("master");
    }

    private static boolean follows(LocalRedis redis, int i, int primary) {
        List<String> role = redis.call(i, "ROLE").lines().toList();
        return role.getFirst().equals("slave") && role.get(2).equals(Integer.toString(redis.port(primary)));
    }
}
