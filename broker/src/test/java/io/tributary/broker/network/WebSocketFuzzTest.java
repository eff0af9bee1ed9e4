package io.tributary.broker.network;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.tributary.broker.connection.FakeBackend;
import io.tributary.broker.connection.FakeServices;
import io.tributary.broker.loop.LoopMailboxes;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Pingreq;
import io.tributary.common.mqtt.MqttPacket.Pingresp;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Frames that a fuzzer writes, after the handshake of WebSocket. The first byte selects: even, the rest is what comes
 * over the wire; odd, the rest says how a client cuts a CONNECT and pings into frames, which must not matter
 * [MQTT-6.0.0-2].
 */
class WebSocketFuzzTest {
    /** The request of a WebSocket client. */
    static final byte[] UPGRADE = """
            GET /mqtt HTTP/1.1
            Host: a
            Upgrade: websocket
            Connection: Upgrade
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
            Sec-WebSocket-Version: 13
            Sec-WebSocket-Protocol: mqtt

            """.replace("\n", "\r\n").getBytes(StandardCharsets.US_ASCII);

    private static final int PINGS = 20;
    private static final int BINARY = 0x2;
    private static final int CONTINUATION = 0x0;
    private static final int PING = 0x9;
    private static final int FINAL = 0x80;
    private static final int MASKED = 0x80;

    @FuzzTest(maxDuration = "30s")
    void takesOrClosesWhateverFramesCome(byte[] data) {
        check(data);
    }

    @Test
    void takesKnownCuts() {
        check(new byte[] {1});
        check(new byte[] {1, 0, 1, 2, 3, 0, 0, 5, 9});
        byte[] cuts = new byte[200];
        Arrays.fill(cuts, (byte) 1);
        check(cuts);
        check(new byte[] {0, (byte) 0x82, (byte) 0xFF, 0x7F, -1, -1, -1, -1, -1, -1, -1}); // 2^63 bytes
        check(new byte[] {0, (byte) 0x82, (byte) 0xFE, 0, 1});
        check(new byte[] {0, (byte) 0xF2, (byte) 0x80, 0, 0, 0, 0}); // reserved bits
        check(new byte[] {0, (byte) 0x89, (byte) 0xFE, 0, 126}); // a control frame must be short
    }

    private static void check(byte[] data) {
        EmbeddedChannel channel = new EmbeddedChannel(pipeline());
        try {
            channel.writeInbound(Unpooled.copiedBuffer(UPGRADE));
            String answer = new String(sent(channel), StandardCharsets.US_ASCII);
            assertThat(answer).startsWith("HTTP/1.1 101");
            if (data.length > 0 && (data[0] & 1) == 0) {
                channel.writeInbound(Unpooled.copiedBuffer(data, 1, data.length - 1));
                channel.runPendingTasks();
                channel.checkException();
            } else {
                sendCut(channel, data);
            }
        } finally {
            channel.finishAndReleaseAll();
        }
    }

    private static void sendCut(EmbeddedChannel channel, byte[] cuts) {
        MqttPacket[] packets = new MqttPacket[1 + PINGS];
        Arrays.fill(packets, new Pingreq());
        packets[0] = Packets.connect("c");
        byte[] bytes = Packets.bytes(packets);
        ByteBuf out = Unpooled.buffer();
        int at = 0;
        boolean begun = false;
        for (int i = 1; i < cuts.length && at < bytes.length; i++) {
            int length = Math.min(Math.floorMod(cuts[i], 7), bytes.length - at);
            boolean last = (cuts[i] & 0x40) != 0;
            frame(out, begun ? CONTINUATION : BINARY, last, bytes, at, length);
            at += length;
            begun = !last;
            if ((cuts[i] & 0x20) != 0) {
                frame(out, PING, true, bytes, 0, 1); // may come between the parts of a message
            }
            if ((cuts[i] & 0x10) != 0) {
                channel.writeInbound(out.copy());
                out.clear();
            }
        }
        frame(out, begun ? CONTINUATION : BINARY, true, bytes, at, bytes.length - at);
        channel.writeInbound(out);
        channel.runPendingTasks();

        List<MqttPacket> answers = Packets.decode(payloads(sent(channel)));
        assertThat(answers.getFirst()).isInstanceOf(Connack.class);
        assertThat(answers.subList(1, answers.size())).hasSize(PINGS).hasOnlyElementsOfType(Pingresp.class);
    }

    private static void frame(ByteBuf out, int opcode, boolean last, byte[] bytes, int from, int length) {
        byte[] mask = {7, 11, 13, 17};
        out.writeByte((last ? FINAL : 0) | opcode).writeByte(MASKED | length).writeBytes(mask);
        for (int i = 0; i < length; i++) {
            out.writeByte(bytes[from + i] ^ mask[i & 3]);
        }
    }

    /** What is in the binary frames of a broker; these are short. */
    private static byte[] payloads(byte[] frames) {
        ByteArrayOutputStream payloads = new ByteArrayOutputStream();
        for (int at = 0; at < frames.length; ) {
            int length = frames[at + 1] & 0x7F;
            int begin = at + 2;
            if (length == 126) {
                length = (frames[at + 2] & 0xFF) << 8 | (frames[at + 3] & 0xFF);
                begin = at + 4;
            }
            if ((frames[at] & 0x0F) == BINARY) {
                payloads.write(frames, begin, length);
            }
            at = begin + length;
        }
        return payloads.toByteArray();
    }

    private static byte[] sent(EmbeddedChannel channel) {
        ByteArrayOutputStream sent = new ByteArrayOutputStream();
        for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
            sent.writeBytes(ByteBufUtil.getBytes(out));
            out.release();
        }
        return sent.toByteArray();
    }

    private static Pipeline pipeline() {
        ListenerConfig config = ListenerConfig.builder("test", 0)
                .kind(new ListenerKind.WebSocket("/mqtt"))
                .build();
        FakeBackend backend = new FakeBackend();
        ListenerContext listener = new ListenerContext(
                config,
                NetworkConfig.DEFAULT,
                new ListenerAdmission(config.admission(), System::nanoTime),
                FakeServices.on(backend),
                backend.target,
                new LoopMailboxes(),
                new UnfinishedPackets(1L << 30),
                new StrayClients(config, System::nanoTime, _ -> {}),
                NetworkRecorder.NONE);
        return new Pipeline(
                listener,
                SocketLayer.PLAIN,
                new DefaultChannelGroup(GlobalEventExecutor.INSTANCE),
                SilentConnections.ofThisProcess());
    }
}
