package io.tributary.server.settings;

import io.tributary.broker.network.ListenerConfig;
import io.tributary.common.codec.DecoderLimits;
import io.tributary.server.settings.check.SettingException;
import java.util.List;

/**
 * What the limits of the listeners mean for a cluster.
 *
 * @param name the name of the settings of the listeners
 */
record ClusterLimits(String name, List<ListenerConfig> listeners) {

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
                        name + "." + listener.name() + ".limits.packets.max-size",
                        "in a cluster, packets and CONNECTs may have at most 254MB");
            }
            largest = Math.max(largest, size);
        }
        return largest;
    }
}
