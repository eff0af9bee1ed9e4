package io.tributary.broker;

import io.tributary.broker.network.BoundListener;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.broker.network.NetworkConfig;
import io.tributary.broker.retained.RetainedLimits;
import io.tributary.broker.security.ClientRules;
import io.tributary.broker.security.SessionTakeover;
import io.tributary.broker.shard.ShardConfig;
import io.tributary.broker.subscription.SharedChoice;
import io.tributary.broker.subscription.SubscriptionLimits;
import io.tributary.common.codec.DecoderLimits;
import io.tributary.persistence.rocksdb.RocksDbOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Everything that a broker is told before it starts. Each part checks itself when it is created; this record checks
 * rules that concern several parts.
 *
 * @param nodeName the name of this broker, for people and in {@code $SYS}
 * @param dataDirectory where sessions, messages and subscriptions are kept; created when it does not exist
 * @param storage how the embedded store works
 * @param listeners where clients connect; may be empty for a broker that is used in process only
 * @param network how the sockets of all listeners are run
 * @param clientRules which clients are applications
 * @param takeover who gets a session that is there
 * @param shards how sessions are owned, queued and saved
 * @param subscriptions how many subscriptions there may be
 * @param shared how shared subscriptions choose a member
 * @param maxDeliveries how often a message is sent to members of applications' shared subscriptions that leave it
 *     unacknowledged before it is published as a dead letter; 0 for as often as it takes
 * @param retained how many retained messages there may be
 * @param sysInterval how often {@code $SYS} topics are published; zero turns them off
 * @param drain how clients are sent away at a stop
 */
public record BrokerConfig(
        String nodeName,
        Path dataDirectory,
        RocksDbOptions storage,
        List<ListenerConfig> listeners,
        NetworkConfig network,
        ClientRules clientRules,
        SessionTakeover takeover,
        ShardConfig shards,
        SubscriptionLimits subscriptions,
        SharedChoice shared,
        int maxDeliveries,
        RetainedLimits retained,
        Duration sysInterval,
        DrainConfig drain) {

    /** How many shards a new data folder gets. */
    public static final int DEFAULT_SHARDS = 16;

    public BrokerConfig {
        listeners = List.copyOf(listeners);
        if (nodeName.isEmpty() || nodeName.indexOf('#') >= 0) {
            throw new IllegalArgumentException("node name '" + nodeName + "': must not be empty or have a # in it");
        }
        if (sysInterval.isNegative()) {
            throw new IllegalArgumentException("$SYS interval " + sysInterval + ": must not be negative");
        }
        if (maxDeliveries < 0) {
            throw new IllegalArgumentException("most deliveries " + maxDeliveries + ": must not be negative");
        }
        Set<String> names = new HashSet<>();
        for (ListenerConfig listener : listeners) {
            if (!names.add(listener.name())) {
                throw new IllegalArgumentException("two listeners are named '" + listener.name() + "'");
            }
        }
    }

    /** A broker with all defaults and no listeners. */
    public static BrokerConfig defaults(Path dataDirectory) {
        return new BrokerConfig(
                "tributary",
                dataDirectory,
                RocksDbOptions.defaults(DEFAULT_SHARDS),
                List.of(),
                NetworkConfig.DEFAULT,
                ClientRules.NONE,
                SessionTakeover.PRINCIPAL,
                ShardConfig.defaults(),
                SubscriptionLimits.defaults(),
                SharedChoice.DEFAULT,
                0,
                RetainedLimits.defaults(),
                Duration.ofSeconds(10),
                DrainConfig.DEFAULT);
    }

    /** The same with these listeners. */
    public BrokerConfig withListeners(ListenerConfig... newListeners) {
        return with(List.of(newListeners), clientRules, takeover, shards, maxDeliveries);
    }

    /** The same with these rules of which clients are applications. */
    public BrokerConfig withClientRules(ClientRules newRules) {
        return with(listeners, newRules, takeover, shards, maxDeliveries);
    }

    /** The same with sessions for those. */
    public BrokerConfig withTakeover(SessionTakeover newTakeover) {
        return with(listeners, clientRules, newTakeover, shards, maxDeliveries);
    }

    /** The same with this limit to how often a message is sent to members of applications' shared subscriptions. */
    public BrokerConfig withMaxDeliveries(int newMost) {
        return with(listeners, clientRules, takeover, shards, newMost);
    }

    /** The same with sessions owned, queued and saved like this. */
    public BrokerConfig withShards(ShardConfig newShards) {
        return with(listeners, clientRules, takeover, newShards, maxDeliveries);
    }

    private BrokerConfig with(
            List<ListenerConfig> newListeners,
            ClientRules newRules,
            SessionTakeover newTakeover,
            ShardConfig newShards,
            int newMaxDeliveries) {
        return new BrokerConfig(
                nodeName,
                dataDirectory,
                storage,
                newListeners,
                network,
                newRules,
                newTakeover,
                newShards,
                subscriptions,
                shared,
                newMaxDeliveries,
                retained,
                sysInterval,
                drain);
    }

    /** The limits of the listener that takes the largest packets. */
    public DecoderLimits largestPackets() {
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
        return withListeners(listeners.stream()
                .map(listener -> listener.withPort(ports.getOrDefault(listener.name(), listener.port())))
                .toArray(ListenerConfig[]::new));
    }
}
