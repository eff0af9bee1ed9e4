package io.tributary.server.settings;

import io.tributary.broker.BrokerConfig;
import io.tributary.broker.tls.TlsConfig;
import io.tributary.cluster.ClusterConfig;
import org.jspecify.annotations.Nullable;

/**
 * What the settings say.
 *
 * @param broker what the broker is told
 * @param security who may connect
 * @param http how the port of health and metrics is encrypted; null for not at all
 * @param cluster what makes it a node of a cluster; null for a broker that runs alone
 */
public record ServerConfig(
        BrokerConfig broker,
        SecurityConfig security,
        @Nullable TlsConfig http,
        @Nullable ClusterConfig cluster) {}
