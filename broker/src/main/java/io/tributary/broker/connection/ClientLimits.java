package io.tributary.broker.connection;

import static io.tributary.common.setting.InvalidSettingException.under;

import io.tributary.common.codec.DecoderLimits;
import io.tributary.common.setting.InvalidSettingException;
import java.util.function.Consumer;

/**
 * What the clients of one listener may ask of the broker.
 *
 * @param packets limits of single packets
 * @param connect limits of CONNECT and of the connection as a whole
 * @param inbound limits of what a client publishes
 * @param outbound limits of what is on its way to a client
 */
public record ClientLimits(
        DecoderLimits packets, ConnectLimits connect, InboundLimits inbound, OutboundLimits outbound) {

    /** Limits that suit most brokers. */
    public static final ClientLimits DEFAULT = new ClientLimits(
            DecoderLimits.DEFAULT, ConnectLimits.DEFAULT, InboundLimits.DEFAULT, OutboundLimits.DEFAULT);

    /** The defaults, to be changed. */
    public static Builder builder() {
        return new Builder(DEFAULT);
    }

    /** These values, to be changed. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Collects values under the names of the settings. Not thread-safe. */
    public static final class Builder {
        private final DecoderLimits.Builder packets;
        private final ConnectLimits.Builder connect;
        private final InboundLimits.Builder publish;
        private final OutboundLimits.Builder delivery;

        private Builder(ClientLimits from) {
            packets = from.packets.toBuilder();
            connect = from.connect.toBuilder();
            publish = from.inbound.toBuilder();
            delivery = from.outbound.toBuilder();
        }

        /** Changes the limits of single packets. */
        public Builder packets(Consumer<DecoderLimits.Builder> change) {
            change.accept(packets);
            return this;
        }

        /** Changes the limits of CONNECT and of the connection as a whole. */
        public Builder connect(Consumer<ConnectLimits.Builder> change) {
            change.accept(connect);
            return this;
        }

        /** Changes the limits of what one client publishes. */
        public Builder publish(Consumer<InboundLimits.Builder> change) {
            change.accept(publish);
            return this;
        }

        /** Changes the limits of what is on its way to one client. */
        public Builder delivery(Consumer<OutboundLimits.Builder> change) {
            change.accept(delivery);
            return this;
        }

        /**
         * The whole.
         *
         * @throws InvalidSettingException when a value is not allowed, with the name of its setting
         */
        public ClientLimits build() {
            return new ClientLimits(
                    under("packets", packets::build),
                    under("connect", connect::build),
                    under("publish", publish::build),
                    under("delivery", delivery::build));
        }
    }
}
