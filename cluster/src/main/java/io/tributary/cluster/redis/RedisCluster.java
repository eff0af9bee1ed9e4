package io.tributary.cluster.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.LettuceFutures;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The connections to a Redis Cluster: one to each primary, shared by all shards, made when needed and again whenever
 * they break, tried every two seconds at the latest. Calls wait for the connection, and those that were on their way
 * are sent again, but none longer than its time.
 */
public final class RedisCluster implements AutoCloseable {
    private static final int KEEP_ALIVE_PROBES = 3;
    private static final Duration REFRESH_AT_MOST_EACH = Duration.ofSeconds(1);
    private static final Duration RECONNECT_AT_LEAST_EACH = Duration.ofSeconds(2);
    private static final int SHUTDOWN_SECONDS = 10;

    private final RedisConfig config;
    private final RedisClusterClient client;
    private final StatefulRedisClusterConnection<byte[], byte[]> connection;

    private RedisCluster(
            RedisConfig config, RedisClusterClient client, StatefulRedisClusterConnection<byte[], byte[]> connection) {
        this.config = config;
        this.client = client;
        this.connection = connection;
    }

    /**
     * Connects; blocks for a few times the time that a call may take.
     *
     * @throws RedisStoreException if no node can be reached or the nodes are not a cluster; {@link RedisChecks} says
     *     more
     */
    public static RedisCluster connect(RedisConfig config) {
        RedisClusterClient client = RedisClusterClient.create(
                resources(),
                config.nodes().stream().map(node -> uri(config, node)).toList());
        client.setOptions(clusterOptions(config));
        try {
            return new RedisCluster(config, client, client.connect(ByteArrayCodec.INSTANCE));
        } catch (RedisException e) {
            shutDown(client);
            throw new RedisStoreException("no connection to the Redis Cluster at " + config.nodes(), e);
        }
    }

    RedisConfig config() {
        return config;
    }

    StatefulRedisClusterConnection<byte[], byte[]> connection() {
        return connection;
    }

    /** Closes all connections; calls on their way fail. Blocks until done. */
    @Override
    public void close() {
        connection.close();
        shutDown(client);
    }

    /** Threads and timers of one client, which has to shut them down itself. */
    private static ClientResources resources() {
        Delay delay = Delay.exponential(Duration.ZERO, RECONNECT_AT_LEAST_EACH, 2, TimeUnit.MILLISECONDS);
        return ClientResources.builder().reconnectDelay(delay).build();
    }

    private static void shutDown(RedisClusterClient client) {
        client.shutdown(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS);
        LettuceFutures.awaitAll(
                Duration.ofSeconds(SHUTDOWN_SECONDS),
                client.getResources().shutdown(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS));
    }

    static RedisURI uri(RedisConfig config, RedisConfig.Node node) {
        RedisURI.Builder uri = RedisURI.builder()
                .withHost(node.host())
                .withPort(node.port())
                .withTimeout(config.commandTimeout())
                .withClientName("tributary");
        RedisConfig.Credentials credentials = config.credentials();
        if (credentials != null) {
            uri.withAuthentication(RedisCredentialsProvider.from(() -> RedisCredentials.just(
                    credentials.user(), credentials.password().get())));
        }
        RedisConfig.Tls tls = config.tls();
        if (tls != null) {
            uri.withSsl(true).withVerifyPeer(tls.verifyHost() ? SslVerifyMode.FULL : SslVerifyMode.CA);
        }
        RedisURI built = uri.build();
        built.setLibraryName(""); // not told: the user needs no right to tell it then
        built.setLibraryVersion("");
        return built;
    }

    /** The options of every connection. */
    static <B extends ClientOptions.Builder> B withOptions(B options, RedisConfig config) {
        options.autoReconnect(true)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.ACCEPT_COMMANDS)
                .requestQueueSize(config.requestQueueSize())
                .timeoutOptions(TimeoutOptions.enabled(config.commandTimeout()))
                .socketOptions(socketOptions(config.commandTimeout()))
                .maintNotificationsConfig(MaintNotificationsConfig.disabled());
        Path certificates = config.tls() == null ? null : config.tls().certificates();
        if (certificates != null) {
            options.sslOptions(
                    SslOptions.builder().trustManager(certificates.toFile()).build());
        }
        return options;
    }

    private static ClusterClientOptions clusterOptions(RedisConfig config) {
        ClusterTopologyRefreshOptions refresh = ClusterTopologyRefreshOptions.builder()
                .enablePeriodicRefresh(config.topologyRefresh())
                .adaptiveRefreshTriggersTimeout(REFRESH_AT_MOST_EACH)
                .build();
        return withOptions(ClusterClientOptions.builder(), config)
                .topologyRefreshOptions(refresh)
                .build();
    }

    /** Notices within the time of a call that the other side is gone, though it never said so. */
    private static SocketOptions socketOptions(Duration timeout) {
        Duration probe = Duration.ofSeconds(Math.max(1, timeout.toSeconds() / KEEP_ALIVE_PROBES));
        SocketOptions.KeepAliveOptions keepAlive = SocketOptions.KeepAliveOptions.builder()
                .enable()
                .idle(probe)
                .interval(probe)
                .count(KEEP_ALIVE_PROBES)
                .build();
        return SocketOptions.builder()
                .connectTimeout(timeout)
                .keepAlive(keepAlive)
                .tcpNoDelay(true)
                .build();
    }
}
