package io.tributary.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.delivery.Delivery;
import io.tributary.broker.fake.Messages;
import io.tributary.cluster.node.NodeMessage.Deliver;
import io.tributary.cluster.node.NodeMessage.Resume;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.mqtt.QoS;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class FrameBuilderTest {
    private final List<byte[]> frames = new ArrayList<>();
    private final FrameBuilder builder = new FrameBuilder(RecordFormat.alone(), frames::add);

    @Test
    void makesNoFrameWhenNothingWasAdded() {
        builder.finish();

        assertThat(frames).isEmpty();
    }

    @Test
    void packsMessagesIntoOneFrameWhenTheyAreSmall() {
        List<NodeMessage> messages = new SampleMessages(1).oneOfEach();
        messages.forEach(builder::add);
        builder.finish();
        builder.finish();

        assertThat(frames).hasSize(1);
        assertThat(NodeMessageCodec.decode(frames.getFirst()))
                .usingRecursiveComparison()
                .isEqualTo(messages);
    }

    @Test
    void writesFramesInTheFormatThatAllRead() {
        RecordFormat format = new RecordFormat(2);
        FrameBuilder newer = new FrameBuilder(format, frames::add);
        newer.add(new Resume(1));
        newer.finish();
        format.raise(2);
        newer.add(new Resume(1));
        newer.finish();
        assertThat(frames).extracting(frame -> (int) frame[0]).containsExactly(1, 2);
        assertThat(FrameBuilder.frameOf(new Resume(1), format)).startsWith(2);
    }

    @Test
    void beginsNextFrameWhenOneIsFull() {
        for (int i = 0; i < 100_000; i++) {
            builder.add(new Resume(i));
        }
        builder.finish();

        assertThat(frames)
                .hasSizeGreaterThan(5)
                .allSatisfy(frame -> assertThat(frame.length).isLessThan(FrameBuilder.FRAME_BYTES + 16));
        List<NodeMessage> all = decodeAll();
        assertThat(all).hasSize(100_000).first().isEqualTo(new Resume(0));
        assertThat(all).last().isEqualTo(new Resume(99_999));
    }

    @Test
    void dividesDeliveriesWhenTheyAreLarge() {
        List<Delivery> deliveries = LongStream.range(0, 10)
                .mapToObj(sequence -> delivery(sequence, 20_000))
                .toList();

        builder.add(new Deliver(3, 4, 5, deliveries));
        builder.finish();

        assertThat(frames)
                .hasSize(5)
                .allSatisfy(frame -> assertThat(frame.length).isLessThan(FrameBuilder.FRAME_BYTES + 20_200));
        List<Delivery> arrived = new ArrayList<>();
        for (NodeMessage message : decodeAll()) {
            Deliver part = (Deliver) message;
            assertThat(List.of((long) part.shard(), part.ownerEpoch(), part.connection()))
                    .containsExactly(3L, 4L, 5L);
            arrived.addAll(part.deliveries());
        }
        assertThat(arrived).isEqualTo(deliveries);
    }

    private List<NodeMessage> decodeAll() {
        return frames.stream()
                .flatMap(frame -> NodeMessageCodec.decode(frame).stream())
                .toList();
    }

    private static Delivery delivery(long sequence, int bytes) {
        Queued queued = new Queued(
                Messages.message("t", "x".repeat(bytes), QoS.AT_LEAST_ONCE), QoS.AT_LEAST_ONCE, false, List.of(), null);
        return new Delivery(sequence, queued, false);
    }
}
