package io.tributary.broker.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocket13FrameDecoder;
import io.netty.handler.codec.http.websocketx.WebSocket13FrameEncoder;
import io.netty.handler.codec.http.websocketx.WebSocketDecoderConfig;
import java.util.Random;
import org.junit.jupiter.api.Test;

class UnfinishedFrameTest {
    private static final int LARGEST_HEADER = 14;
    private static final int MOST = 70_000;

    private final UnfinishedFrame frame = new UnfinishedFrame();
    private final Decoder decoder = new Decoder();
    private final EmbeddedChannel channel = new EmbeddedChannel(frame.beforeDecoder(), decoder, frame.behindDecoder());

    /** Knows what it keeps. */
    private static final class Decoder extends WebSocket13FrameDecoder {
        Decoder() {
            super(WebSocketDecoderConfig.newBuilder()
                    .maxFramePayloadLength(MOST)
                    .build());
        }

        int kept() {
            return actualReadableBytes();
        }
    }

    /** The decoder keeps no header that it has read. */
    @Test
    void countsWhatTheDecoderKeepsHoweverFramesAreCut() {
        Random random = new Random(5);
        ByteBuf sent = frames(random);
        while (sent.isReadable()) {
            int length = Math.min(sent.readableBytes(), 1 + random.nextInt(random.nextBoolean() ? 300 : 20_000));
            channel.writeInbound(sent.readRetainedSlice(length));
            assertThat(frame.bytes()).isBetween(decoder.kept(), decoder.kept() + LARGEST_HEADER);
            assertThat(frame.memory()).isBetween(frame.bytes(), 2 * frame.bytes());
        }
        assertThat(frame.bytes()).isZero();
        sent.release();
        channel.finishAndReleaseAll();
    }

    private static ByteBuf frames(Random random) {
        EmbeddedChannel client = new EmbeddedChannel(new WebSocket13FrameEncoder(true));
        int[] sizes = {0, 1, 125, 126, 127, 65_535, 65_536};
        for (int i = 0; i < 30; i++) {
            int size = random.nextBoolean() ? sizes[random.nextInt(sizes.length)] : random.nextInt(9_000);
            client.writeOutbound(
                    random.nextInt(4) == 0
                            ? new PingWebSocketFrame(Unpooled.buffer().writeZero(size % 126))
                            : new BinaryWebSocketFrame(Unpooled.buffer(size).writeZero(size)));
        }
        ByteBuf frames = Unpooled.buffer();
        for (ByteBuf each = client.readOutbound(); each != null; each = client.readOutbound()) {
            frames.writeBytes(each);
            each.release();
        }
        client.finishAndReleaseAll();
        return frames;
    }
}
