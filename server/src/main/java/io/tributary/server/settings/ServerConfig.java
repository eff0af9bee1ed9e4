package io.tributary.server.settings;

import io.tributary.broker.BrokerConfig;
import io.tributary.broker.security.rules.RuleSet;
import io.tributary.broker.tls.TlsConfig;
import io.tributary.cluster.ClusterConfig;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the settings say.
 *
 * @param broker what the broker is told
 * @param security who may connect
 * @param http how the port of health and metrics is encrypted; null for not at all
 * @param cluster what makes it a node of a cluster; null for a broker that runs alone
 * @param rules what clients may do; empty for everything
 * @param agentCheck where HAProxy asks for the weight of this broker
 */
public record ServerConfig(
        BrokerConfig broker,
        SecurityConfig security,
        @Nullable TlsConfig http,
        @Nullable ClusterConfig cluster,
        List<RuleSet> rules,
        AgentCheckSettings agentCheck) {

    /** Copies the list. */
    public ServerConfig {
        rules = List.copyOf(rules);
    }
}
