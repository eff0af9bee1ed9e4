package io.tributary.broker;

import static io.tributary.common.setting.InvalidSettingException.under;

import io.tributary.broker.canary.CanaryConfig;
import io.tributary.broker.connection.OutboundLimits.Overflow;
import io.tributary.broker.guard.GuardConfig;
import io.tributary.broker.network.BoundListener;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.broker.network.NetworkConfig;
import io.tributary.broker.retained.RetainedLimits;
import io.tributary.broker.routing.PriorityConfig;
import io.tributary.broker.security.ClientRules;
import io.tributary.broker.security.OnRevocation;
import io.tributary.broker.security.SessionTakeover;
import io.tributary.broker.shard.QueueLimits;
import io.tributary.broker.shard.ShardConfig;
import io.tributary.broker.subscription.SharedChoice;
import io.tributary.broker.subscription.SubscriptionLimits;
import io.tributary.common.codec.DecoderLimits;
import io.tributary.common.setting.InvalidSettingException;
import io.tributary.persistence.rocksdb.RocksDbOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Everything that a broker is told before it starts. The builder's methods have the names of the settings in
 * docs/configuration.md: {@code tributary.storage.sync=always} is
 * {@code builder.storage(storage -> storage.sync(StorageSync.ALWAYS))}. Sizes are in bytes.
 */
public final class BrokerConfig {
    private static final Duration SHORTEST_SYS_INTERVAL = Duration.ofSeconds(1);

    private final String nodeName;
    private final Path dataDirectory;
    private final RocksDbOptions storage;
    private final List<ListenerConfig> listeners;
    private final DecoderLimits largestPackets;
    private final NetworkConfig network;
    private final ApplicationsConfig applications;
    private final SessionTakeover takeover;
    private final OnRevocation onRevocation;
    private final GuardConfig guard;
    private final ShardConfig shards;
    private final PriorityConfig priorities;
    private final SubscriptionLimits subscriptions;
    private final SharedChoice shared;
    private final RetainedLimits retained;
    private final Duration sysInterval;
    private final CanaryConfig canary;
    private final StopConfig stop;

    private BrokerConfig(Builder from) {
        nodeName = checkedName(from.nodeName);
        dataDirectory = from.dataDir;
        storage = under("storage", from.storage::build);
        listeners = checkedListeners(from.listeners);
        largestPackets = listeners.isEmpty() ? from.largestPackets : largestOf(listeners);
        network = under("network", from.network::build);
        applications = under("applications", from.applications::build);
        takeover = from.securitySessions;
        onRevocation = from.securityOnRevocation;
        guard = from.guard;
        QueueLimits queues = under("queues", from.queues::build);
        shards = under("shards", from.shards::build).with(queues, applications.catchUp());
        priorities = under("priorities", from.priorities::build);
        subscriptions = under("subscriptions", from.subscriptions::build);
        shared = under("shared-subscriptions", from.sharedSubscriptions::build);
        retained = under("retained", from.retained::build);
        sysInterval = checkedSysInterval(from.sysInterval);
        canary = under("canary", from.canary::build);
        stop = under("stop", from.stop::build);
    }

    private static String checkedName(String name) {
        if (name.isEmpty() || name.indexOf('#') >= 0) {
            throw new InvalidSettingException("node-name", "'" + name + "' must not be empty or have a # in it");
        }
        return name;
    }

    private static List<ListenerConfig> checkedListeners(List<ListenerConfig> listeners) {
        Set<String> names = new HashSet<>();
        for (ListenerConfig listener : listeners) {
            if (!names.add(listener.name())) {
                throw new InvalidSettingException("listeners", "two are named '" + listener.name() + "'");
            }
        }
        return List.copyOf(listeners);
    }

    private static Duration checkedSysInterval(Duration interval) {
        if (!interval.isZero() && interval.compareTo(SHORTEST_SYS_INTERVAL) < 0) {
            throw new InvalidSettingException(
                    "sys.interval", interval + " is neither at least 1 s nor zero, for no $SYS topics");
        }
        return interval;
    }

    /**
     * A broker with all defaults and no listeners, to be changed.
     *
     * @param dataDir where sessions, messages and subscriptions are kept; created when it does not exist
     */
    public static Builder builder(Path dataDir) {
        return new Builder(dataDir);
    }

    /** These values, to be changed. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** The name of this broker, for people and in {@code $SYS}. */
    public String nodeName() {
        return nodeName;
    }

    /** Where sessions, messages and subscriptions are kept. */
    public Path dataDirectory() {
        return dataDirectory;
    }

    /** How the embedded store works. */
    public RocksDbOptions storage() {
        return storage;
    }

    /** Where clients connect; may be empty for a broker that is used in process only. */
    public List<ListenerConfig> listeners() {
        return listeners;
    }

    /** How the sockets of all listeners are run. */
    public NetworkConfig network() {
        return network;
    }

    /** Which clients are applications. */
    public ClientRules clientRules() {
        return applications.rules();
    }

    /** Who gets a session that is there. */
    public SessionTakeover takeover() {
        return takeover;
    }

    /** What happens to clients that lose a subscription. */
    public OnRevocation onRevocation() {
        return onRevocation;
    }

    /** What this node puts up with. */
    public GuardConfig guard() {
        return guard;
    }

    /** How sessions are owned, queued and saved. */
    public ShardConfig shards() {
        return shards;
    }

    /** Which priorities messages get. */
    public PriorityConfig priorities() {
        return priorities;
    }

    /** How many subscriptions there may be. */
    public SubscriptionLimits subscriptions() {
        return subscriptions;
    }

    /** How shared subscriptions choose a member. */
    public SharedChoice shared() {
        return shared;
    }

    /**
     * How often a message is sent to members of applications' shared subscriptions that leave it unacknowledged before
     * it is published as a dead letter; 0 for as often as it takes.
     */
    public int maxDeliveries() {
        return applications.maxDeliveries();
    }

    /** How many retained messages there may be. */
    public RetainedLimits retained() {
        return retained;
    }

    /** How often {@code $SYS} topics are published; zero turns them off. */
    public Duration sysInterval() {
        return sysInterval;
    }

    /** What the node's canary does; there is none unless its interval is set. */
    public CanaryConfig canary() {
        return canary;
    }

    /** How clients are sent away at a stop. */
    public StopConfig stop() {
        return stop;
    }

    /** The limits of the listener that takes the largest packets. */
    public DecoderLimits largestPackets() {
        return largestPackets;
    }

    /** Whether publishers wait for clients of some listener that cannot keep up. */
    public boolean publishersWait() {
        return listeners.stream()
                .anyMatch(listener -> listener.limits().outbound().overflow() == Overflow.HOLD_PUBLISHERS);
    }

    /** The same for a broker that serves no clients, and knows what those that did were allowed. */
    public BrokerConfig withoutListeners() {
        Builder builder = toBuilder().listeners(List.of());
        builder.largestPackets = largestPackets;
        return builder.build();
    }

    private static DecoderLimits largestOf(List<ListenerConfig> listeners) {
        return listeners.stream()
                .map(listener -> listener.limits().packets())
                .max(Comparator.comparingInt(DecoderLimits::maxPacketBytes))
                .orElse(DecoderLimits.DEFAULT);
    }

    /** The same with the ports that listeners were given where any free one would do: clients come back to them. */
    BrokerConfig withPortsOf(List<BoundListener> bound) {
        Map<String, Integer> ports = bound.stream()
                .collect(Collectors.toMap(
                        BoundListener::name, listener -> listener.address().getPort()));
        return toBuilder()
                .listeners(listeners.stream()
                        .map(listener -> listener.toBuilder()
                                .port(ports.getOrDefault(listener.name(), listener.port()))
                                .build())
                        .toList())
                .build();
    }

    /** Collects values under the names of the settings. Not thread-safe. */
    public static final class Builder {
        private Path dataDir;
        private String nodeName;
        private SessionTakeover securitySessions;
        private OnRevocation securityOnRevocation;
        private GuardConfig guard;
        private Duration sysInterval;
        private final List<ListenerConfig> listeners = new ArrayList<>();
        private DecoderLimits largestPackets;
        private final RocksDbOptions.Builder storage;
        private final ApplicationsConfig.Builder applications;
        private final QueueLimits.Builder queues;
        private final PriorityConfig.Builder priorities;
        private final SubscriptionLimits.Builder subscriptions;
        private final SharedChoice.Builder sharedSubscriptions;
        private final RetainedLimits.Builder retained;
        private final NetworkConfig.Builder network;
        private final ShardConfig.Builder shards;
        private final CanaryConfig.Builder canary;
        private final StopConfig.Builder stop;

        private Builder(Path dataDir) {
            this.dataDir = dataDir;
            nodeName = "tributary";
            securitySessions = SessionTakeover.PRINCIPAL;
            securityOnRevocation = OnRevocation.REMOVE;
            guard = GuardConfig.DEFAULT;
            sysInterval = Duration.ofSeconds(10);
            largestPackets = DecoderLimits.DEFAULT;
            storage = RocksDbOptions.builder();
            applications = ApplicationsConfig.builder();
            queues = QueueLimits.builder();
            priorities = PriorityConfig.builder();
            subscriptions = SubscriptionLimits.builder();
            sharedSubscriptions = SharedChoice.builder();
            retained = RetainedLimits.builder();
            network = NetworkConfig.builder();
            shards = ShardConfig.builder();
            canary = CanaryConfig.builder();
            stop = StopConfig.builder();
        }

        private Builder(BrokerConfig from) {
            dataDir = from.dataDirectory;
            nodeName = from.nodeName;
            securitySessions = from.takeover;
            securityOnRevocation = from.onRevocation;
            guard = from.guard;
            sysInterval = from.sysInterval;
            listeners.addAll(from.listeners);
            largestPackets = from.largestPackets;
            storage = from.storage.toBuilder();
            applications = from.applications.toBuilder();
            queues = from.shards.queue().toBuilder();
            priorities = from.priorities.toBuilder();
            subscriptions = from.subscriptions.toBuilder();
            sharedSubscriptions = from.shared.toBuilder();
            retained = from.retained.toBuilder();
            network = from.network.toBuilder();
            shards = from.shards.toBuilder();
            canary = from.canary.toBuilder();
            stop = from.stop.toBuilder();
        }

        /** Where sessions, messages and subscriptions are kept; created when it does not exist. */
        public Builder dataDir(Path value) {
            dataDir = value;
            return this;
        }

        /** The name of the broker, for people and in {@code $SYS}; not empty, and without {@code #}. */
        public Builder nodeName(String value) {
            nodeName = value;
            return this;
        }

        /** Adds a listener; no two have the same name. */
        public Builder listener(ListenerConfig added) {
            listeners.add(added);
            return this;
        }

        /** Replaces all listeners. */
        public Builder listeners(List<ListenerConfig> all) {
            listeners.clear();
            listeners.addAll(all);
            return this;
        }

        /** Who gets the session that a client identifier has; the same on all nodes of a cluster. */
        public Builder securitySessions(SessionTakeover value) {
            securitySessions = value;
            return this;
        }

        /** What happens to clients that lose a subscription because rules do not allow it any more. */
        public Builder securityOnRevocation(OnRevocation value) {
            securityOnRevocation = value;
            return this;
        }

        /** What the node puts up with: connect rates, memory of clients that are not known yet, bans. */
        public Builder guard(GuardConfig value) {
            guard = value;
            return this;
        }

        /** How often {@code $SYS} topics are published, at least a second; zero for never. */
        public Builder sysInterval(Duration value) {
            sysInterval = value;
            return this;
        }

        /** Changes how the embedded store keeps sessions, messages and subscriptions. */
        public Builder storage(Consumer<RocksDbOptions.Builder> change) {
            change.accept(storage);
            return this;
        }

        /** Changes which clients are applications, and how they are served. */
        public Builder applications(Consumer<ApplicationsConfig.Builder> change) {
            change.accept(applications);
            return this;
        }

        /** Changes the limits of the queue of each persistent session. */
        public Builder queues(Consumer<QueueLimits.Builder> change) {
            change.accept(queues);
            return this;
        }

        /** Changes which priorities messages get, which is none unless one of the settings is given. */
        public Builder priorities(Consumer<PriorityConfig.Builder> change) {
            change.accept(priorities);
            return this;
        }

        /** Changes how many subscriptions there may be. */
        public Builder subscriptions(Consumer<SubscriptionLimits.Builder> change) {
            change.accept(subscriptions);
            return this;
        }

        /** Changes how shared subscriptions choose a member. */
        public Builder sharedSubscriptions(Consumer<SharedChoice.Builder> change) {
            change.accept(sharedSubscriptions);
            return this;
        }

        /** Changes how many retained messages there may be. */
        public Builder retained(Consumer<RetainedLimits.Builder> change) {
            change.accept(retained);
            return this;
        }

        /** Changes how the sockets of all listeners are run. */
        public Builder network(Consumer<NetworkConfig.Builder> change) {
            change.accept(network);
            return this;
        }

        /** Changes how persistent sessions are run and saved. */
        public Builder shards(Consumer<ShardConfig.Builder> change) {
            change.accept(shards);
            return this;
        }

        /** Changes what the node's canary does, which is nothing unless its interval is set. */
        public Builder canary(Consumer<CanaryConfig.Builder> change) {
            change.accept(canary);
            return this;
        }

        /** Changes how clients are sent away at a stop. */
        public Builder stop(Consumer<StopConfig.Builder> change) {
            change.accept(stop);
            return this;
        }

        /**
         * The whole.
         *
         * @throws InvalidSettingException when a value is not allowed, with the name of its setting
         */
        public BrokerConfig build() {
            return new BrokerConfig(this);
        }
    }
}
