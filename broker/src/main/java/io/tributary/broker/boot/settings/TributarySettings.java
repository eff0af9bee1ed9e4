package io.tributary.broker.boot.settings;

import io.tributary.broker.BrokerConfig;
import io.tributary.broker.connection.ListenerConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What concerns the broker as a whole.
 *
 * @param mode How the broker runs. {@code standalone}: one broker with all it needs. {@code cluster} comes with a later
 *     version.
 * @param nodeName The name of this broker, for people and in {@code $SYS}.
 * @param dataDir Where sessions, messages and subscriptions are kept; created when it does not exist.
 * @param stopTimeout How long stopping may take; then the broker is ended, which loses nothing that was acknowledged.
 * @param storage how the embedded store works
 * @param limits what a client may ask of the broker
 * @param listeners where clients connect, by name; after the limits, so that these are checked under their own name
 * @param queues the queues of persistent sessions
 * @param subscriptions how many subscriptions there may be
 * @param sharedSubscriptions how shared subscriptions work
 * @param retained how many retained messages there may be
 * @param sys the {@code $SYS} topics
 * @param network how sockets are run
 * @param shards how persistent sessions are run and saved
 */
@ConfigurationProperties(TributarySettings.PREFIX)
public record TributarySettings(
        @DefaultValue("standalone") Mode mode,
        @DefaultValue("tributary") String nodeName,
        @DefaultValue("data") String dataDir,

        @DefaultValue("20s") @Allowed(min = "1s", max = "1h")
        Duration stopTimeout,

        @DefaultValue StorageSettings storage,
        @DefaultValue LimitSettings limits,
        @DefaultValue Map<String, ListenerSettings> listeners,
        @DefaultValue QueueSettings queues,
        @DefaultValue SubscriptionSettings subscriptions,
        @DefaultValue SharedSubscriptionSettings sharedSubscriptions,
        @DefaultValue RetainedSettings retained,
        @DefaultValue SysSettings sys,
        @DefaultValue NetworkSettings network,
        @DefaultValue ShardSettings shards) {

    /** What the names of all settings begin with. */
    public static final String PREFIX = "tributary";

    private static final Set<String> ANY_HOST = Set.of("0.0.0.0", "::", "[::]");

    /** How the broker runs. */
    public enum Mode {
        /** One broker with all it needs. */
        STANDALONE,
        /** Several brokers as one; not yet. */
        CLUSTER
    }

    /**
     * What the broker's core is told.
     *
     * @throws SettingException when settings do not fit together
     */
    public BrokerConfig brokerConfig() {
        if (mode != Mode.STANDALONE) {
            throw new SettingException(PREFIX + ".mode", "'cluster' comes with a later version; use standalone");
        }
        return SettingException.naming(
                PREFIX,
                () -> new BrokerConfig(
                        nodeName,
                        dataDirectory(),
                        storage.options(PREFIX + ".storage"),
                        listenerConfigs(),
                        network.config(PREFIX + ".network"),
                        shards.config(PREFIX + ".shards", queues.limits(PREFIX + ".queues")),
                        subscriptions.limits(PREFIX + ".subscriptions"),
                        sharedSubscriptions.choice(),
                        retained.limits(PREFIX + ".retained"),
                        sys.checkedInterval(PREFIX + ".sys"),
                        null));
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
        List<ListenerConfig> configs = listeners.entrySet().stream()
                .filter(listener -> listener.getValue().enabled())
                .sorted(Map.Entry.comparingByKey())
                .map(listener -> listener.getValue().config(group + "." + listener.getKey(), listener.getKey()))
                .toList();
        if (configs.isEmpty()) {
            throw new SettingException(group, "all are switched off; at least one must have enabled=true");
        }
        checkPorts(configs);
        return configs;
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
