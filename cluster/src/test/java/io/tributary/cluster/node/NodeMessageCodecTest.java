package io.tributary.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.cluster.node.NodeMessage.MapProgress;
import io.tributary.cluster.node.NodeMessage.Resume;
import io.tributary.cluster.node.NodeMessage.Stats;
import io.tributary.cluster.node.NodeMessage.Transient;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.UnreadableRecordException;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NodeMessageCodecTest {
    private static final int ROUNDS = 300;

    @Test
    void decodesWhatWasEncodedWhenMessagesAreRandom() {
        SampleMessages samples = new SampleMessages(1);
        for (int round = 0; round < ROUNDS; round++) {
            for (NodeMessage message : samples.oneOfEach()) {
                assertThat(NodeMessageCodec.decode(FrameBuilder.frameOf(message, RecordFormat.alone())))
                        .usingRecursiveComparison()
                        .isEqualTo(List.of(message));
            }
        }
    }

    @Test
    void refusesWhenCutOffAnywhere() {
        for (NodeMessage message : new SampleMessages(2).oneOfEach()) {
            byte[] frame = FrameBuilder.frameOf(message, RecordFormat.alone());
            for (int length = 2; length < frame.length; length++) {
                byte[] cut = Arrays.copyOf(frame, length);
                assertThatThrownBy(() -> NodeMessageCodec.decode(cut)).isInstanceOf(UnreadableRecordException.class);
            }
        }
    }

    @Test
    void throwsNothingElseWhenBytesAreDamaged() {
        Random random = new Random(3);
        SampleMessages samples = new SampleMessages(3);
        for (int round = 0; round < ROUNDS; round++) {
            for (NodeMessage message : samples.oneOfEach()) {
                byte[] frame = FrameBuilder.frameOf(message, RecordFormat.alone());
                for (int flips = random.nextInt(1, 4); flips > 0; flips--) {
                    frame[random.nextInt(frame.length)] = (byte) random.nextInt();
                }
                decodeOrRefuse(frame);
            }
        }
    }

    @Test
    void throwsNothingElseWhenBytesAreNoise() {
        Random random = new Random(4);
        for (int round = 0; round < 20_000; round++) {
            byte[] noise = new byte[random.nextInt(2, 40)];
            random.nextBytes(noise);
            noise[0] = RecordFormat.NEWEST;
            noise[1] = (byte) random.nextInt(16);
            decodeOrRefuse(noise);
        }
    }

    @Test
    void refusesWhenTheFormatIsNewer() {
        byte[] frame = FrameBuilder.frameOf(new Resume(1), RecordFormat.alone());
        frame[0] = RecordFormat.NEWEST + 1;
        assertThatThrownBy(() -> NodeMessageCodec.decode(frame))
                .isInstanceOf(UnreadableRecordException.class)
                .hasMessageContaining("format " + (RecordFormat.NEWEST + 1));
    }

    @ParameterizedTest
    @ValueSource(bytes = {0, 30, -1})
    void refusesWhenTheTypeIsUnknown(byte type) {
        byte[] frame = FrameBuilder.frameOf(new Resume(1), RecordFormat.alone());
        frame[1] = type;
        assertThatThrownBy(() -> NodeMessageCodec.decode(frame))
                .isInstanceOf(UnreadableRecordException.class)
                .hasMessageContaining("type " + (type & 0xFF));
    }

    @Test
    void refusesBeforeAllocatingWhenALengthIsHuge() {
        byte[] taken = {RecordFormat.NEWEST, 11, -1, -1, -1, -1, 0x07, 1};
        assertThatThrownBy(() -> NodeMessageCodec.decode(taken))
                .isInstanceOf(UnreadableRecordException.class)
                .hasMessageContaining("length of 2147483647 where 1 bytes are left");
    }

    @Test
    void refusesWhenMembersAreTooMany() {
        SampleMessages samples = new SampleMessages(5);
        Message message = samples.message();
        int tooMany = NodeMessage.MAX_MEMBERS + 1;
        assertThatThrownBy(() -> new Transient(1, message, samples.members(tooMany), true))
                .isInstanceOf(IllegalArgumentException.class);

        Message plain = new Message("t", new byte[0], QoS.AT_MOST_ONCE, false, PublishProperties.NONE, 0, "");
        byte[] none = FrameBuilder.frameOf(new Transient(1, plain, List.of(), false), RecordFormat.alone());
        byte[] many = Arrays.copyOf(none, none.length + 1 + tooMany * 8);
        many[none.length - 2] = (byte) (tooMany | 0x80);
        many[none.length - 1] = (byte) (tooMany >>> 7);
        assertThatThrownBy(() -> NodeMessageCodec.decode(many))
                .isInstanceOf(UnreadableRecordException.class)
                .hasMessageContaining("201 members");
    }

    @Test
    void refusesWhenANodeSaysTooMuchOfItself() {
        assertThatThrownBy(() -> new Stats(new byte[Stats.MAX_BYTES + 1])).isInstanceOf(IllegalArgumentException.class);

        byte[] most = FrameBuilder.frameOf(new Stats(new byte[Stats.MAX_BYTES]), RecordFormat.alone());
        assertThat(NodeMessageCodec.decode(most)).hasSize(1);
        byte[] tooMuch = Arrays.copyOf(most, most.length + 1);
        tooMuch[2]++; // the length
        assertThatThrownBy(() -> NodeMessageCodec.decode(tooMuch))
                .isInstanceOf(UnreadableRecordException.class)
                .hasMessageContaining("1025 bytes");
    }

    @Test
    void keepsTheExtremesWhenNumbersAreLarge() {
        NodeMessage progress = new MapProgress("", Long.MAX_VALUE);
        assertThat(NodeMessageCodec.decode(FrameBuilder.frameOf(progress, RecordFormat.alone())))
                .containsExactly(progress);
    }

    private static void decodeOrRefuse(byte[] frame) {
        try {
            assertThat(NodeMessageCodec.decode(frame)).isNotNull();
        } catch (UnreadableRecordException e) {
            assertThat(e).hasMessageNotContaining("null");
        }
    }
}
