package io.tributary.broker.network;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.tributary.common.codec.MqttDecoder;
import io.tributary.common.codec.MqttEncoder;
import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.ConnackProperties;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.ReasonCode;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the first bytes of a connection for a client that took the wrong port, tells it so in its own protocol where
 * that has words, and has it closed; for others it adds the handlers of their protocol. Then it leaves the pipeline. It
 * waits for no second read: a client whose first bytes come one by one is not recognised.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what becomes of it shows in the channel's own events
final class FirstBytes extends ChannelInboundHandlerAdapter {
    private static final int CONNECT = 0x10;
    private static final int TLS_HANDSHAKE = 0x16;
    private static final int TLS_MAJOR_VERSION = 0x03;

    /** How HTTP requests begin; PRI is that of HTTP/2. No CONNECT of MQTT does. */
    private static final List<byte[]> METHODS = List.of(
                    "GET ", "HEAD ", "POST ", "PUT ", "PATCH ", "DELETE ", "OPTIONS ", "CONNECT ", "TRACE ", "PRI ")
            .stream()
            .map(method -> method.getBytes(StandardCharsets.US_ASCII))
            .toList();

    private final ListenerContext listener;
    private final Consumer<ChannelPipeline> protocol;

    /** What a client speaks that took the wrong port. */
    private enum Spoken {
        HTTP,
        TLS,
        MQTT
    }

    /**
     * Creates the handler of a connection.
     *
     * @param protocol adds the handlers of what the listener takes, if it needs any
     */
    FirstBytes(ListenerContext listener, Consumer<ChannelPipeline> protocol) {
        this.listener = listener;
        this.protocol = protocol;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        Spoken spoken = spoken(bytes);
        if (spoken == null) {
            protocol.accept(context.pipeline());
            context.fireChannelRead(message);
        } else {
            try {
                turnAway(context, spoken, bytes);
            } finally {
                bytes.release();
            }
        }
        context.pipeline().remove(this);
    }

    private @Nullable Spoken spoken(ByteBuf bytes) {
        boolean isWebSocket = listener.config().kind() instanceof ListenerKind.WebSocket;
        int at = bytes.readerIndex();
        if (bytes.readableBytes() >= 2
                && bytes.getUnsignedByte(at) == TLS_HANDSHAKE
                && bytes.getUnsignedByte(at + 1) == TLS_MAJOR_VERSION) {
            return Spoken.TLS;
        }
        if (isWebSocket) {
            return bytes.isReadable() && bytes.getUnsignedByte(at) == CONNECT ? Spoken.MQTT : null;
        }
        return METHODS.stream().anyMatch(method -> beginsWith(bytes, method)) ? Spoken.HTTP : null;
    }

    private static boolean beginsWith(ByteBuf bytes, byte[] method) {
        if (bytes.readableBytes() < method.length) {
            return false;
        }
        for (int i = 0; i < method.length; i++) {
            if (bytes.getByte(bytes.readerIndex() + i) != method[i]) {
                return false;
            }
        }
        return true;
    }

    private void turnAway(ChannelHandlerContext context, Spoken spoken, ByteBuf bytes) {
        listener.strays()
                .came(context.channel(), spoken == Spoken.MQTT ? "spoke MQTT without WebSocket" : "spoke " + spoken);
        String words = "this port takes " + listener.strays().takes() + " only";
        switch (spoken) {
            case HTTP -> context.write(badRequest(context, words));
            case MQTT -> refuseConnect(context, bytes, words);
            case TLS -> {} // an alert could not say more than the end of the connection
        }
        SocketHandler connection = context.pipeline().get(SocketHandler.class);
        connection.turnAway(new MqttException(ReasonCode.MALFORMED_PACKET, words));
    }

    private static ByteBuf badRequest(ChannelHandlerContext context, String words) {
        String body = words + "\n";
        return ByteBufUtil.writeAscii(
                context.alloc(),
                "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: "
                        + body.length() + "\r\nConnection: close\r\n\r\n" + body);
    }

    /** Answers a CONNECT that came in one piece; of another the version is not known, and with it the form. */
    private void refuseConnect(ChannelHandlerContext context, ByteBuf bytes, String words) {
        MqttDecoder decoder = new MqttDecoder(listener.config().limits().packets());
        try {
            decoder.decode(bytes.duplicate());
        } catch (MqttException e) {
            // what else may be wrong with it does not matter
        }
        ProtocolVersion version = decoder.version();
        if (version != null) {
            ByteBuf out = context.alloc().buffer();
            Connack refusal =
                    new Connack(false, ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR, ConnackProperties.reason(words));
            new MqttEncoder(version, ConnectProperties.LARGEST_PACKET).encode(refusal, out);
            context.write(out);
        }
    }
}
