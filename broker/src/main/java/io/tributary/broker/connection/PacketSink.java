package io.tributary.broker.connection;

import io.tributary.common.codec.PublishTemplate;
import io.tributary.common.codec.PublishVariant;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.ProtocolVersion;
import org.jspecify.annotations.Nullable;

/**
 * Where a client's connection writes packets: its socket. Called on the connection's event loop only. Packets go out at
 * the end of the loop's turn, in one flush, or earlier where there are many; after {@link #close} nothing more is
 * written.
 */
public interface PacketSink {

    /** The client is authenticated: what it sends is not a stranger's any more. */
    default void known() {}

    /** Tells in which form, and how large at most, packets may be from now on; comes before anything is written. */
    void use(ProtocolVersion version, int maximumPacketSize);

    /** Writes a packet that is not a PUBLISH; one that is too large for the client is left out [MQTT-3.1.2-24]. */
    void send(MqttPacket packet);

    /**
     * Writes a PUBLISH.
     *
     * @return false when it is too large for the client; then nothing was written [MQTT-3.1.2-24]
     */
    boolean publish(PublishTemplate template, PublishVariant variant);

    /** Whether messages may be written; when it becomes true again, {@link ClientConnection#onWritable} is called. */
    boolean isWritable();

    /**
     * Whether it is no wonder that nothing came of the client since this was asked last: it is not read while memory is
     * short, or while much waits to be written to it, as long as it has taken some of that since.
     */
    default boolean wasHeldBack() {
        return false;
    }

    /** Whether the socket is not read for a reason of its own: too much waits to be written, or memory is short. */
    default boolean isUnread() {
        return false;
    }

    /** Goes on reading: {@link ClientConnection#mayRead} has become true. */
    void resumeReading();

    /**
     * Nothing of what the client has sent is waited for any more: a DISCONNECT in it is given to the connection
     * nevertheless, what is before it is not.
     */
    default void heedDisconnect() {}

    /** Writes the last packet, if any, and closes the connection so that the client can still read it. */
    void close(@Nullable MqttPacket last);
}
