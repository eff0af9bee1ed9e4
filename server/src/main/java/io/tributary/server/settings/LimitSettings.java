package io.tributary.server.settings;

import io.tributary.broker.connection.ClientLimits;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What a client may ask of the broker. Each of these can be set for one listener alone, under
 * {@code tributary.listeners.<name>.limits}; what is not set there is as here.
 *
 * @param packets limits of single packets
 * @param connect limits of CONNECT and of the connection as a whole
 * @param publish limits of what a client publishes
 * @param delivery limits of what is on its way to a client
 */
public record LimitSettings(
        @DefaultValue PacketSettings packets,
        @DefaultValue ConnectSettings connect,
        @DefaultValue PublishSettings publish,
        @DefaultValue DeliverySettings delivery) {

    void change(ClientLimits.Builder to) {
        to.packets(packets::change)
                .connect(connect::change)
                .publish(publish::change)
                .delivery(delivery::change);
    }
}
