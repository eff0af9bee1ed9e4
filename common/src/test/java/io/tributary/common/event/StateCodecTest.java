package io.tributary.common.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.Will;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StateCodecTest {
    private static final int ROUNDS = 500;
    private static final List<Function<byte[], Object>> DECODERS = List.of(
            StateCodec::decodeSession, StateCodec::decodeQueueEntry, StateCodec::decodeWill, StateCodec::decodeMessage);

    @Test
    void decodesWhatWasEncodedWhenStateIsRandom() {
        RandomEvents random = new RandomEvents(1);
        for (int round = 0; round < ROUNDS; round++) {
            StoredSession stored = random.session();
            assertThat(StateCodec.decodeSession(StateCodec.encodeSession(stored, RecordFormat.NEWEST)))
                    .usingRecursiveComparison()
                    .isEqualTo(stored);
            QueueEntry entry = random.queueEntry();
            assertThat(StateCodec.decodeQueueEntry(StateCodec.encodeQueueEntry(entry, RecordFormat.NEWEST)))
                    .isEqualTo(entry);
            Will will = random.will();
            boolean due = round % 2 == 0;
            assertThat(StateCodec.decodeWill(StateCodec.encodeWill(will, due, RecordFormat.NEWEST)))
                    .isEqualTo(new StateCodec.StoredWill(will, due));
            Message message = random.message();
            @Nullable Source source = random.source();
            assertThat(StateCodec.decodeMessage(StateCodec.encodeMessage(message, source, RecordFormat.NEWEST)))
                    .isEqualTo(new StateCodec.SourcedMessage(message, source));
        }
    }

    @Test
    void decodesSessionsThatLieOneBehindTheOther() {
        RandomEvents random = new RandomEvents(5);
        List<StoredSession> stored =
                Stream.generate(random::session).limit(ROUNDS).toList();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        stored.forEach(one -> bytes.writeBytes(StateCodec.encodeSession(one, RecordFormat.NEWEST)));
        assertThat(StateCodec.decodeSessions(bytes.toByteArray(), ROUNDS))
                .usingRecursiveComparison()
                .isEqualTo(stored);
        assertThat(StateCodec.decodeSessions(new byte[0], 0)).isEmpty();
    }

    @Test
    void refusesWhenThereAreMoreOrFewerSessions() {
        byte[] one = StateCodec.encodeSession(new RandomEvents(6).session(), RecordFormat.NEWEST);
        for (int count : new int[] {0, 2, Integer.MAX_VALUE}) {
            assertThatThrownBy(() -> StateCodec.decodeSessions(one, count))
                    .isInstanceOf(UnreadableRecordException.class);
        }
    }

    @Test
    void refusesWhenARecordIsOfAnotherType() {
        List<byte[]> records = oneOfEach(new RandomEvents(2));
        for (int i = 0; i < records.size(); i++) {
            byte[] other = records.get((i + 1) % records.size());
            Function<byte[], Object> decoder = DECODERS.get(i);
            assertThatThrownBy(() -> decoder.apply(other)).isInstanceOf(UnreadableRecordException.class);
        }
    }

    @Test
    void refusesWhenTheFormatIsNewer() {
        List<byte[]> records = oneOfEach(new RandomEvents(3));
        for (int i = 0; i < records.size(); i++) {
            byte[] newer = records.get(i);
            newer[0] = RecordFormat.NEWEST + 1;
            Function<byte[], Object> decoder = DECODERS.get(i);
            assertThatThrownBy(() -> decoder.apply(newer))
                    .isInstanceOf(UnreadableRecordException.class)
                    .hasMessageContaining("format " + (RecordFormat.NEWEST + 1));
        }
    }

    @Test
    void throwsNothingElseWhenBytesAreCutOffOrDamaged() {
        Random random = new Random(4);
        RandomEvents state = new RandomEvents(4);
        for (int round = 0; round < ROUNDS; round++) {
            List<byte[]> records = oneOfEach(state);
            for (int i = 0; i < records.size(); i++) {
                byte[] bytes = records.get(i);
                decodeOrRefuse(DECODERS.get(i), Arrays.copyOf(bytes, random.nextInt(bytes.length)));
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
                decodeOrRefuse(DECODERS.get(i), bytes);
            }
        }
    }

    private static List<byte[]> oneOfEach(RandomEvents random) {
        return List.of(
                StateCodec.encodeSession(random.session(), RecordFormat.NEWEST),
                StateCodec.encodeQueueEntry(random.queueEntry(), RecordFormat.NEWEST),
                StateCodec.encodeWill(random.will(), true, RecordFormat.NEWEST),
                StateCodec.encodeMessage(random.message(), random.source(), RecordFormat.NEWEST));
    }

    private static void decodeOrRefuse(Function<byte[], Object> decoder, byte[] bytes) {
        try {
            assertThat(decoder.apply(bytes)).isNotNull();
        } catch (UnreadableRecordException e) {
            assertThat(e).hasMessageNotContaining("null");
        }
    }
}
