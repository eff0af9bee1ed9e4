package io.tributary.broker.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.tributary.common.codec.DecoderLimits;
import io.tributary.common.codec.MqttDecoder;
import io.tributary.common.codec.MqttEncoder;
import io.tributary.common.codec.PublishTemplate;
import io.tributary.common.codec.PublishVariant;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.ProtocolVersion;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A connection that encodes what a session writes, and decodes it again as the client would. */
final class FakeSink implements PacketSink {
    final List<MqttPacket> written = new ArrayList<>();
    boolean writable = true;
    /** So many messages are taken all the same. */
    int writableFor;

    boolean heldBack;
    boolean unread;
    /** What is done when a DISCONNECT is looked for in what was not read. */
    Runnable onHeed = () -> {};

    boolean closed;
    int resumed;
    Runnable onResume = () -> {};
    private @Nullable MqttEncoder encoder;
    private @Nullable MqttDecoder decoder;

    @Override
    public void use(ProtocolVersion version, int maximumPacketSize) {
        encoder = new MqttEncoder(version, maximumPacketSize);
        decoder = MqttDecoder.forClient(version, DecoderLimits.DEFAULT);
    }

    @Override
    public void send(MqttPacket packet) {
        ByteBuf bytes = Unpooled.buffer();
        if (!closed && encoder != null && encoder.encode(packet, bytes)) {
            decode(bytes);
        }
    }

    @Override
    public boolean publish(PublishTemplate template, PublishVariant variant) {
        ByteBuf bytes = Unpooled.buffer();
        if (encoder == null || !encoder.encode(template, variant, bytes)) {
            return false;
        }
        decode(bytes);
        writableFor--;
        return true;
    }

    private void decode(ByteBuf bytes) {
        MqttPacket packet = decoder == null ? null : decoder.decode(bytes);
        if (packet == null || bytes.isReadable()) {
            throw new AssertionError("not one whole packet");
        }
        written.add(packet);
    }

    @Override
    public boolean isWritable() {
        return (writable || writableFor > 0) && !closed;
    }

    @Override
    public boolean wasHeldBack() {
        return heldBack;
    }

    @Override
    public boolean isUnread() {
        return unread;
    }

    @Override
    public void heedDisconnect() {
        onHeed.run();
    }

    @Override
    public void resumeReading() {
        resumed++;
        onResume.run();
    }

    @Override
    public void close(@Nullable MqttPacket last) {
        if (last != null) {
            send(last);
        }
        closed = true;
    }

    /** Takes all packets that were written so far. */
    List<MqttPacket> take() {
        List<MqttPacket> taken = List.copyOf(written);
        written.clear();
        return taken;
    }

    /** Takes all packets, of which all must be of that type. */
    <P extends MqttPacket> List<P> take(Class<P> type) {
        return take().stream().map(type::cast).toList();
    }

    /** Takes the only packet. */
    <P extends MqttPacket> P takeOnly(Class<P> type) {
        List<P> taken = take(type);
        if (taken.size() != 1) {
            throw new AssertionError(taken.size() + " packets: " + taken);
        }
        return taken.getFirst();
    }
}
