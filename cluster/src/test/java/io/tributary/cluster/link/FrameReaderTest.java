package io.tributary.cluster.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.CorruptedFrameException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FrameReaderTest {
    private static final int MAX = 1_000;

    private final FrameReader reader = new FrameReader(MAX);

    @Test
    void givesFramesWhenBytesComeOneByOne() {
        ByteBuf wire = Unpooled.buffer();
        wire.writeBytes(frame("first")).writeBytes(frame("")).writeBytes(frame("second"));
        List<String> frames = new ArrayList<>();
        while (wire.isReadable()) {
            byte[] frame = reader.next(wire.readSlice(1));
            if (frame != null) {
                frames.add(new String(frame, StandardCharsets.UTF_8));
            }
        }
        assertThat(frames).containsExactly("first", "second");
    }

    @Test
    void givesFramesWhenTheyComeTogether() {
        ByteBuf wire = Unpooled.buffer();
        wire.writeBytes(frame("")).writeBytes(frame("a")).writeBytes(frame("b")).writeBytes(frame(""));

        assertThat(reader.next(wire)).isEqualTo(new byte[] {'a'});
        assertThat(reader.next(wire)).isEqualTo(new byte[] {'b'});
        assertThat(reader.next(wire)).isNull();
        assertThat(wire.isReadable()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {MAX + 1, Integer.MAX_VALUE, -1, Integer.MIN_VALUE})
    void refusesWhenFrameIsTooLarge(int length) {
        ByteBuf wire = Unpooled.buffer().writeInt(length).writeInt(0);
        assertThatThrownBy(() -> reader.next(wire)).isInstanceOf(CorruptedFrameException.class);
    }

    @Test
    void refusesWhenContentIsDamaged() {
        ByteBuf wire = frame("content");
        wire.setByte(FrameReader.HEADER_BYTES + 3, 'X');
        assertThatThrownBy(() -> reader.next(wire)).isInstanceOf(CorruptedFrameException.class);
    }

    @Test
    void refusesWhenHeartbeatIsDamaged() {
        ByteBuf wire = Unpooled.buffer().writeInt(0).writeInt(1);
        assertThatThrownBy(() -> reader.next(wire)).isInstanceOf(CorruptedFrameException.class);
    }

    private static ByteBuf frame(String content) {
        return LinkOutbound.frame(content.getBytes(StandardCharsets.UTF_8));
    }
}
