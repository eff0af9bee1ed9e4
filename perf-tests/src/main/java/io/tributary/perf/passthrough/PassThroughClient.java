package io.tributary.perf.passthrough;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.tributary.common.codec.Varint;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A client's connection: takes its packets apart as far as they must be. Confined to its event loop. */
@SuppressWarnings("FutureReturnValueIgnored") // nobody waits for what is written
final class PassThroughClient extends ByteToMessageDecoder {
    // Kinds of what comes.
    private static final int CONNECT = 1;
    private static final int PUBLISH = 3;
    private static final int PUBREC = 5;
    private static final int PUBREL = 6;
    private static final int SUBSCRIBE = 8;
    private static final int PINGREQ = 12;
    private static final int DISCONNECT = 14;

    // First bytes of what is sent.
    private static final int CONNACK = 0x20;
    private static final int PUBACK = 0x40;
    private static final int PUBREC_ANSWER = 0x50;
    private static final int PUBREL_ANSWER = 0x62;
    private static final int PUBCOMP = 0x70;
    private static final int SUBACK = 0x90;
    private static final int PINGRESP = 0xD0;

    private static final int MQTT_5 = 5;
    private static final int LARGEST_LENGTH_BYTES = 4;
    private static final int LARGEST_ID = 65_535;

    private final PassThrough passThrough;
    private final PassThroughLoop loop;
    private final Channel channel;
    private @Nullable ByteBuf out;
    private boolean isMqtt5;
    private int lastId;

    PassThroughClient(PassThrough passThrough, PassThroughLoop loop, Channel channel) {
        this.passThrough = passThrough;
        this.loop = loop;
        this.channel = channel;
    }

    PassThroughLoop loop() {
        return loop;
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> none) {
        int begin = in.readerIndex();
        int body = bodyOf(in, begin);
        if (body < 0) {
            return;
        }
        int length = lengthAt(in, begin + 1, body);
        if (in.writerIndex() - body < length) {
            return;
        }
        packet(in.getUnsignedByte(begin), in.slice(body, length));
        in.readerIndex(body + length);
    }

    /** Where the packet's body begins; -1 when the length is not here yet. */
    private static int bodyOf(ByteBuf in, int begin) {
        for (int at = begin + 1; at < in.writerIndex() && at <= begin + LARGEST_LENGTH_BYTES; at++) {
            if (in.getByte(at) >= 0) {
                return at + 1;
            }
        }
        return -1;
    }

    private static int lengthAt(ByteBuf in, int from, int to) {
        int length = 0;
        for (int at = to - 1; at >= from; at--) {
            length = (length << 7) | (in.getByte(at) & 0x7F);
        }
        return length;
    }

    private void packet(int first, ByteBuf body) {
        switch (first >> 4) {
            case CONNECT -> connect(body);
            case PUBLISH -> publish((first >> 1) & 3, body);
            case PUBREC -> answer(PUBREL_ANSWER, body.readUnsignedShort());
            case PUBREL -> answer(PUBCOMP, body.readUnsignedShort());
            case SUBSCRIBE -> subscribe(body);
            case PINGREQ -> out().writeShort(PINGRESP << 8);
            case DISCONNECT -> channel.close();
            default -> {} // PUBACK and PUBCOMP, which nobody waits for
        }
    }

    private void connect(ByteBuf body) {
        body.skipBytes(2 + "MQTT".length());
        isMqtt5 = body.readByte() == MQTT_5;
        out().writeByte(CONNACK).writeByte(isMqtt5 ? 3 : 2).writeShort(0);
        if (isMqtt5) {
            out().writeByte(0);
        }
    }

    private void publish(int qos, ByteBuf body) {
        ByteBuf topic = body.readSlice(2 + body.getUnsignedShort(body.readerIndex()));
        if (qos > 0) {
            answer(qos == 1 ? PUBACK : PUBREC_ANSWER, body.readUnsignedShort());
        }
        String name = topic.toString(2, topic.readableBytes() - 2, StandardCharsets.UTF_8);
        forward(name, topic, qos, body);
        forward(PassThrough.above(name), topic, qos, body);
    }

    private void forward(String subscribed, ByteBuf topic, int qos, ByteBuf rest) {
        for (PassThroughClient each : passThrough.subscribers(subscribed)) {
            loop.forward(each, topic, qos, rest);
        }
    }

    /** Writes a message; {@code rest} has its properties, for all speak the same version, and its payload. */
    void publish(ByteBuf topic, int qos, ByteBuf rest) {
        int id = qos == 0 ? 0 : 2;
        ByteBuf to = out();
        to.writeByte((PUBLISH << 4) | (qos << 1));
        Varint.write(topic.readableBytes() + id + rest.readableBytes(), to);
        to.writeBytes(topic, topic.readerIndex(), topic.readableBytes());
        if (qos > 0) {
            lastId = lastId % LARGEST_ID + 1;
            to.writeShort(lastId);
        }
        to.writeBytes(rest, rest.readerIndex(), rest.readableBytes());
    }

    private void subscribe(ByteBuf body) {
        int id = body.readUnsignedShort();
        skipProperties(body);
        ByteBuf codes = channel.alloc().buffer();
        while (body.isReadable()) {
            CharSequence filter = body.readCharSequence(body.readUnsignedShort(), StandardCharsets.UTF_8);
            codes.writeByte(body.readByte() & 3);
            passThrough.subscribe(filter.toString(), this);
        }
        int properties = isMqtt5 ? 1 : 0;
        out().writeByte(SUBACK)
                .writeByte(2 + properties + codes.readableBytes())
                .writeShort(id);
        out().writeZero(properties).writeBytes(codes);
        codes.release();
    }

    private void skipProperties(ByteBuf body) {
        if (isMqtt5) {
            body.skipBytes(body.readUnsignedByte()); // those of the load tool have no more than 127 bytes
        }
    }

    private void answer(int first, int id) {
        out().writeByte(first).writeByte(2).writeShort(id);
    }

    private ByteBuf out() {
        if (out == null) {
            out = channel.alloc().ioBuffer();
            loop.wrote(this);
        }
        return out;
    }

    void flush() {
        ByteBuf all = out;
        out = null;
        if (all != null) {
            channel.writeAndFlush(all, channel.voidPromise());
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) throws Exception {
        loop.flush();
        super.channelReadComplete(context);
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext context) {
        passThrough.gone(this);
        if (out != null) {
            out.release();
            out = null;
        }
    }
}
