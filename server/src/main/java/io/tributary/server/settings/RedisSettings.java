package io.tributary.server.settings;

import io.tributary.cluster.redis.RedisConfig;
import io.tributary.cluster.secret.ChangingSecret;
import io.tributary.server.settings.check.Allowed;
import io.tributary.server.settings.check.SettingException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * How Redis Cluster is used, which holds the state of the shards.
 *
 * @param nodes Some nodes of the Redis Cluster, {@code host:port} with commas between; the others are found through
 *     them. Needed.
 * @param username The user (ACL); without a value, {@code default}.
 * @param passwordFile The file with the password, which others must not be able to read. It is read again at each new
 *     connection. Without a value, Redis asks nobody.
 * @param tls encryption
 * @param commandTimeout How long a call may take until it is taken for failed; also the limit for making a connection.
 * @param requestQueueSize How many calls may be on their way on one connection; there is one to each primary.
 * @param concurrentReads How many pages of queues, of at most 256KB each, may be on their way to this node; fewer than
 *     {@code request-queue-size}. No shard takes more of them than it leaves to the others.
 * @param inlineSize Up to what size a message lies in the queues themselves, all its copies for sessions of a shard
 *     together; a larger one lies apart, once for all of them, see docs/redis-layout.md.
 * @param topologyRefresh How often the cluster is asked for its nodes; it is also asked at any sign of a change.
 */
public record RedisSettings(
        @Nullable String nodes,
        @Nullable String username,
        @Nullable String passwordFile,
        @DefaultValue TlsSettings tls,

        @DefaultValue("5s") @Allowed(min = "100ms", max = "1m")
        Duration commandTimeout,

        @DefaultValue("10000") @Allowed(min = "100", max = "1000000")
        int requestQueueSize,

        @DefaultValue("256") @Allowed(min = "1", max = "10000")
        int concurrentReads,

        @DefaultValue("4KB") @Allowed(min = "0B", max = "1GB")
        DataSize inlineSize,

        @DefaultValue("30s") @Allowed(min = "1s", max = "1h")
        Duration topologyRefresh) {

    private static final Pattern NODE = Pattern.compile("(?:\\[([0-9a-fA-F:.]+)]|([^:\\[\\]\\s]+)):([0-9]{1,5})");
    private static final String FORM = "it must be some nodes of the Redis Cluster, host:port,host:port";

    RedisConfig config(String name) {
        if (nodes == null || nodes.isBlank()) {
            throw new SettingException(name + ".nodes", "is missing; " + FORM);
        }
        List<RedisConfig.Node> parsed = Stream.of(nodes.split(",", -1))
                .map(node -> node(name + ".nodes", node.strip()))
                .toList();
        return SettingException.naming(
                name,
                () -> new RedisConfig(
                        parsed,
                        credentials(name),
                        encryption(name + ".tls"),
                        commandTimeout,
                        requestQueueSize,
                        concurrentReads,
                        Math.toIntExact(inlineSize.toBytes()),
                        topologyRefresh));
    }

    private static RedisConfig.Node node(String name, String text) {
        Matcher node = NODE.matcher(text);
        if (!node.matches()) {
            throw new SettingException(name, "'" + text + "' is not host:port; " + FORM);
        }
        String host = node.group(1) == null ? node.group(2) : node.group(1);
        return SettingException.naming(name, () -> new RedisConfig.Node(host, Integer.parseInt(node.group(3))));
    }

    private RedisConfig.@Nullable Credentials credentials(String name) {
        if (passwordFile == null) {
            if (username != null) {
                throw new SettingException(
                        name + ".password-file", "is missing; with a user it must be the file with its password");
            }
            return null;
        }
        ChangingSecret<String> password =
                SettingException.naming(name + ".password-file", () -> ChangingSecret.password(Path.of(passwordFile)));
        return new RedisConfig.Credentials(username == null ? "default" : username, password::read);
    }

    private RedisConfig.@Nullable Tls encryption(String name) {
        return tls.checkedEnabled(name) ? new RedisConfig.Tls(tls.trusted(name), tls.verifyHost()) : null;
    }
}
