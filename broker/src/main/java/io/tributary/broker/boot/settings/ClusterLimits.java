package io.tributary.broker.boot.settings;

import io.tributary.broker.connection.ListenerConfig;
import io.tributary.common.codec.DecoderLimits;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import java.time.Duration;
import java.util.List;

/** What the limits of the listeners mean for a cluster. */
record ClusterLimits(List<ListenerConfig> listeners) {

    /**
     * The largest packet that any listener takes, in bytes.
     *
     * @throws SettingException when it would not fit into a record of Kafka
     */
    int largestPacketBytes() {
        int largest = 0;
        for (ListenerConfig listener : listeners) {
            DecoderLimits packets = listener.limits().packets();
            int size = Math.max(packets.maxPacketBytes(), packets.maxConnectBytes());
            if (size > KafkaSettings.LARGEST_PACKET_BYTES) {
                throw new SettingException(
                        limits(listener) + ".packets.max-size",
                        "in a cluster, packets and CONNECTs may have at most 255MB");
            }
            largest = Math.max(largest, size);
        }
        return largest;
    }

    /**
     * Refuses a retention that a message may outlive in the queue of a session whose client is away.
     *
     * @param name the setting that has the retention
     */
    void checkRetention(String name, Duration retention) {
        for (ListenerConfig listener : listeners) {
            long expirySeconds = listener.limits().connect().maxSessionExpirySeconds();
            if (expirySeconds != ConnectProperties.NEVER_EXPIRES && expirySeconds >= retention.toSeconds()) {
                throw new SettingException(
                        name,
                        "'" + Units.text(retention) + "' is not longer than "
                                + Units.text(Duration.ofSeconds(expirySeconds)) + ", which is "
                                + limits(listener)
                                + ".connect.max-session-expiry: so long may a message be queued, and what is "
                                + "queued must still be in the log");
            }
        }
    }

    private static String limits(ListenerConfig listener) {
        return TributarySettings.PREFIX + ".listeners." + listener.name() + ".limits";
    }
}
