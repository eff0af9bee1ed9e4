package io.tributary.server.settings;

import io.tributary.broker.BrokerConfig;
import io.tributary.broker.StopConfig;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.broker.network.NetworkConfig;
import io.tributary.broker.routing.PriorityConfig;
import io.tributary.broker.security.ClientRules;
import io.tributary.broker.security.rules.RuleSet;
import io.tributary.broker.tls.TlsConfig;
import io.tributary.cluster.ClusterConfig;
import io.tributary.cluster.link.NodeId;
import io.tributary.server.settings.check.Allowed;
import io.tributary.server.settings.check.HostName;
import io.tributary.server.settings.check.SettingException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What concerns the broker as a whole.
 *
 * @param mode How the broker runs. {@code standalone}: one broker with all it needs. {@code cluster}: a node of several
 *     that work as one, on Kafka and Redis Cluster.
 * @param nodeName The name of this broker, for people and in {@code $SYS}. In a cluster no two nodes have the same, and
 *     a node keeps its own when it is started again. Without a value it is {@code tributary}; in a cluster, the name of
 *     the host.
 * @param dataDir Where sessions, messages and subscriptions are kept; created when it does not exist. A node of a
 *     cluster keeps nothing there.
 * @param stopTimeout How long stopping may take; then the broker is ended, which loses nothing that was acknowledged.
 * @param stop how clients are sent away when the broker stops
 * @param cluster what makes the broker a node of a cluster
 * @param ingest what back-ends may publish by producing records to Kafka
 * @param storage how the embedded store works
 * @param limits what a client may ask of the broker
 * @param listeners where clients connect, by name; after the limits, so that these are checked under their own name
 * @param security who may connect, whose session it is, and who may do what
 * @param applications which clients are applications
 * @param queues the queues of persistent sessions
 * @param priorities which priorities messages get
 * @param subscriptions how many subscriptions there may be
 * @param sharedSubscriptions how shared subscriptions work
 * @param retained how many retained messages there may be
 * @param sys the {@code $SYS} topics
 * @param http the port of health and metrics
 * @param agentCheck where HAProxy asks for the weight of this broker
 * @param network how sockets are run
 * @param shards how persistent sessions are run and saved
 * @param canary the messages by which the broker tries itself
 */
@ConfigurationProperties(TributarySettings.PREFIX)
public record TributarySettings(
        @DefaultValue("standalone") Mode mode,
        @Nullable String nodeName,
        @DefaultValue("data") String dataDir,

        @DefaultValue("20s") @Allowed(min = "1s", max = "1h")
        Duration stopTimeout,

        @DefaultValue StopSettings stop,
        @DefaultValue ClusterSettings cluster,
        @DefaultValue IngestSettings ingest,
        @DefaultValue StorageSettings storage,
        @DefaultValue LimitSettings limits,
        @DefaultValue Map<String, ListenerSettings> listeners,
        @DefaultValue SecuritySettings security,
        @DefaultValue ApplicationsSettings applications,
        @DefaultValue QueueSettings queues,
        @DefaultValue PrioritySettings priorities,
        @DefaultValue SubscriptionSettings subscriptions,
        @DefaultValue SharedSubscriptionSettings sharedSubscriptions,
        @DefaultValue RetainedSettings retained,
        @DefaultValue SysSettings sys,
        @DefaultValue HttpSettings http,
        @DefaultValue AgentCheckSettings agentCheck,
        @DefaultValue NetworkSettings network,
        @DefaultValue ShardSettings shards,
        @DefaultValue CanarySettings canary) {

    /** What the names of all settings begin with. */
    public static final String PREFIX = "tributary";

    private static final String STANDALONE_NAME = "tributary";
    private static final Set<String> ANY_HOST = Set.of("0.0.0.0", "::", "[::]");

    /** How the broker runs. */
    public enum Mode {
        /** One broker with all it needs. */
        STANDALONE,
        /** One of several brokers that work as one. */
        CLUSTER
    }

    /**
     * What the settings say, checked.
     *
     * @throws SettingException when settings do not fit together
     */
    public ServerConfig serverConfig() {
        return SettingException.together(
                this::config,
                List.of(
                        this::checkedNodeName,
                        this::dataDirectory,
                        () -> core(to -> to.storage(storage::change)),
                        this::listenerConfigs,
                        this::securityConfig,
                        this::ruleSets,
                        () -> security.guard(PREFIX + ".security"),
                        () -> core(to -> to.network(this::changeNetwork)),
                        this::clientRules,
                        () -> core(to -> to.queues(queues::change)),
                        () -> core(to -> to.priorities(this::changePriorities)),
                        () -> core(to -> to.subscriptions(subscriptions::change)),
                        () -> core(to -> to.retained(retained::change)),
                        () -> sys.checkedInterval(PREFIX + ".sys"),
                        this::httpTls,
                        () -> core(to -> to.canary(canary::change)),
                        () -> core(to -> to.stop(this::changeStop)),
                        () -> mode == Mode.CLUSTER ? clusterConfig(listenerConfigs()) : checkedAlone()));
    }

    private ServerConfig config() {
        List<ListenerConfig> listening = listenerConfigs();
        return new ServerConfig(
                brokerConfig(listening),
                securityConfig(),
                httpTls(),
                mode == Mode.CLUSTER ? clusterConfig(listening) : checkedAlone(),
                ruleSets(),
                agentCheck);
    }

    private List<RuleSet> ruleSets() {
        return security.ruleSets(PREFIX + ".security", listeners.keySet());
    }

    private BrokerConfig brokerConfig(List<ListenerConfig> listening) {
        return core(to -> to.nodeName(checkedNodeName())
                .dataDir(dataDirectory())
                .storage(storage::change)
                .listeners(listening)
                .network(this::changeNetwork)
                .applications(part -> applications.change(part, clientRules()))
                .securitySessions(security.sessions())
                .securityOnRevocation(security.onRevocation())
                .guard(security.guard(PREFIX + ".security"))
                .queues(queues::change)
                .shards(shards::change)
                .priorities(this::changePriorities)
                .subscriptions(subscriptions::change)
                .sharedSubscriptions(sharedSubscriptions::change)
                .retained(retained::change)
                .sysInterval(sys.checkedInterval(PREFIX + ".sys"))
                .canary(canary::change)
                .stop(this::changeStop));
    }

    /** A broker's configuration that is the default one but for this. */
    private static BrokerConfig core(Consumer<BrokerConfig.Builder> change) {
        return SettingException.named(() -> {
            BrokerConfig.Builder to = BrokerConfig.builder(Path.of(""));
            change.accept(to);
            return to.build();
        });
    }

    private @Nullable TlsConfig httpTls() {
        return http.tls().config(PREFIX + ".http.tls");
    }

    private void changePriorities(PriorityConfig.Builder to) {
        priorities.change(PREFIX + ".priorities", to);
    }

    private void changeNetwork(NetworkConfig.Builder to) {
        network.change(PREFIX + ".network", to);
    }

    private void changeStop(StopConfig.Builder to) {
        stop.change(stopTimeout, to);
    }

    private ClientRules clientRules() {
        return applications.clientRules(PREFIX + ".applications", listeners.keySet());
    }

    /** Nothing, for a broker without others; what it was told of Kafka would have no effect. */
    private @Nullable ClusterConfig checkedAlone() {
        if (ingest.topics() != null) {
            throw new SettingException(
                    PREFIX + ".ingest.topics", "has no effect without " + PREFIX + ".mode=cluster: there is no Kafka");
        }
        return null;
    }

    private String checkedNodeName() {
        if (mode == Mode.STANDALONE) {
            return nodeName == null ? STANDALONE_NAME : nodeName;
        }
        String name = nodeName == null ? HostName.get(PREFIX + ".node-name") : nodeName;
        return SettingException.naming(PREFIX + ".node-name", () -> new NodeId(name, 0).name());
    }

    private ClusterConfig clusterConfig(List<ListenerConfig> listening) {
        return cluster.config(
                PREFIX + ".cluster",
                new ClusterLimits(PREFIX + ".listeners", listening).largestPacketBytes(),
                ingest.config(PREFIX + ".ingest"));
    }

    private SecurityConfig securityConfig() {
        Map<String, ListenerSettings> enabled = new LinkedHashMap<>(listeners);
        enabled.values().removeIf(listener -> !listener.enabled());
        return security.config(PREFIX + ".security", PREFIX + ".listeners", enabled);
    }

    private Path dataDirectory() {
        if (dataDir.isBlank()) {
            throw new SettingException(PREFIX + ".data-dir", "must not be empty");
        }
        return SettingException.naming(
                PREFIX + ".data-dir", () -> Path.of(dataDir).toAbsolutePath().normalize());
    }

    private List<ListenerConfig> listenerConfigs() {
        String group = PREFIX + ".listeners";
        List<Supplier<ListenerConfig>> each = listeners.entrySet().stream()
                .filter(listener -> listener.getValue().enabled())
                .sorted(Map.Entry.comparingByKey())
                .map(listener -> config(group, listener.getKey(), listener.getValue()))
                .toList();
        List<ListenerConfig> configs =
                SettingException.together(() -> each.stream().map(Supplier::get).toList(), each);
        if (configs.isEmpty()) {
            throw new SettingException(group, "all are switched off; at least one must have enabled=true");
        }
        checkPorts(configs);
        return configs;
    }

    private static Supplier<ListenerConfig> config(String group, String name, ListenerSettings listener) {
        return () -> listener.config(group + "." + name, name);
    }

    /** The second of two listeners on one port could not listen, and would be told that another process does. */
    private static void checkPorts(List<ListenerConfig> configs) {
        for (ListenerConfig one : configs) {
            for (ListenerConfig other : configs) {
                if (one.name().compareTo(other.name()) < 0 && one.port() == other.port() && collide(one, other)) {
                    throw new SettingException(
                            PREFIX + ".listeners." + other.name() + ".port",
                            "'" + other.port() + "' is the port of the listener '" + one.name()
                                    + "' too; each needs one of its own");
                }
            }
        }
    }

    private static boolean collide(ListenerConfig one, ListenerConfig other) {
        boolean everywhere = ANY_HOST.contains(one.host()) || ANY_HOST.contains(other.host());
        return one.port() != 0 && (everywhere || one.host().equals(other.host()));
    }
}
