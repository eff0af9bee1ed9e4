package io.tributary.common.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.common.event.ShardEvent.Detach;
import io.tributary.common.event.ShardEvent.Owner;
import io.tributary.common.event.ShardEvent.Publish;
import io.tributary.common.event.ShardEvent.SessionExpired;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EventCodecTest {
    private static final int ROUNDS = 500;

    @Test
    void decodesWhatWasEncodedWhenEventsAreRandom() {
        RandomEvents events = new RandomEvents(1);
        for (int round = 0; round < ROUNDS; round++) {
            for (ShardEvent event : events.oneOfEach()) {
                ShardEvent decoded = EventCodec.decode(EventCodec.encode(event, RecordFormat.NEWEST));
                assertThat(decoded).usingRecursiveComparison().isEqualTo(event);
            }
        }
    }

    @Test
    void refusesWhenCutOffAnywhere() {
        for (ShardEvent event : new RandomEvents(2).oneOfEach()) {
            byte[] bytes = EventCodec.encode(event, RecordFormat.NEWEST);
            for (int length = 0; length < bytes.length; length++) {
                byte[] cut = Arrays.copyOf(bytes, length);
                assertThatThrownBy(() -> EventCodec.decode(cut)).isInstanceOf(UnreadableRecordException.class);
            }
        }
    }

    @Test
    void refusesWhenSomethingIsBehindTheEnd() {
        for (ShardEvent event : new RandomEvents(3).oneOfEach()) {
            byte[] bytes = EventCodec.encode(event, RecordFormat.NEWEST);
            byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
            assertThatThrownBy(() -> EventCodec.decode(longer)).isInstanceOf(UnreadableRecordException.class);
        }
    }

    @Test
    void throwsNothingElseWhenBytesAreDamaged() {
        Random random = new Random(4);
        RandomEvents events = new RandomEvents(4);
        for (int round = 0; round < ROUNDS; round++) {
            for (ShardEvent event : events.oneOfEach()) {
                byte[] bytes = EventCodec.encode(event, RecordFormat.NEWEST);
                for (int flips = random.nextInt(1, 4); flips > 0; flips--) {
                    bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
                }
                decodeOrRefuse(bytes);
            }
        }
    }

    @Test
    void throwsNothingElseWhenBytesAreNoise() {
        Random random = new Random(5);
        for (int round = 0; round < 20_000; round++) {
            byte[] noise = new byte[random.nextInt(2, 40)];
            random.nextBytes(noise);
            noise[0] = RecordFormat.NEWEST;
            noise[1] = (byte) random.nextInt(15);
            decodeOrRefuse(noise);
        }
    }

    @Test
    void refusesWhenTheFormatIsNewer() {
        byte[] bytes = EventCodec.encode(new Owner("n"), RecordFormat.NEWEST);
        bytes[0] = RecordFormat.NEWEST + 1;
        assertThatThrownBy(() -> EventCodec.decode(bytes))
                .isInstanceOf(UnreadableRecordException.class)
                .hasMessageContaining("format " + (RecordFormat.NEWEST + 1));
    }

    @ParameterizedTest
    @ValueSource(bytes = {0, 15, 65, -1})
    void refusesWhenTheTypeIsUnknown(byte type) {
        byte[] bytes = EventCodec.encode(new Owner("n"), RecordFormat.NEWEST);
        bytes[1] = type;
        assertThatThrownBy(() -> EventCodec.decode(bytes))
                .isInstanceOf(UnreadableRecordException.class)
                .hasMessageContaining("type " + (type & 0xFF));
    }

    @Test
    void refusesBeforeAllocatingWhenALengthIsHuge() {
        byte[] hugeText = {RecordFormat.NEWEST, 6, -1, -1, -1, -1, 0x07, 'n'};
        assertThatThrownBy(() -> EventCodec.decode(hugeText))
                .isInstanceOf(UnreadableRecordException.class)
                .hasMessageContaining("length of 2147483647 where 1 bytes are left");
    }

    @Test
    void refusesWhenANumberDoesNotEnd() {
        byte[] bytes = new byte[20];
        Arrays.fill(bytes, (byte) 0xFF);
        bytes[0] = RecordFormat.NEWEST;
        bytes[1] = 6;
        assertThatThrownBy(() -> EventCodec.decode(bytes)).isInstanceOf(UnreadableRecordException.class);
    }

    @Test
    void costsFewBytesWhenAPublishIsPlain() {
        Message message =
                new Message("a/b", new byte[100], QoS.AT_LEAST_ONCE, false, PublishProperties.NONE, Message.NEVER, "p");
        Recipient recipient = new Recipient("client", 1, QoS.AT_LEAST_ONCE, false, List.of(), null);
        byte[] bytes = EventCodec.encode(new Publish(message, List.of(recipient), null), RecordFormat.NEWEST);
        int text = "a/b".length() + "p".length() + "client".length();
        assertThat(bytes).hasSize(100 + text + 11);
    }

    @Test
    void keepsTheExtremesWhenNumbersAreNegativeOrLarge() {
        List<ShardEvent> events = List.of(
                new SessionExpired(-1, "", Long.MAX_VALUE, 0),
                new SessionExpired(0, "", -1, Long.MAX_VALUE),
                new Detach("", 0, true, 0xFFFF_FFFFL, -1),
                new Detach("", Long.MIN_VALUE, false, 0, Long.MAX_VALUE));
        assertThat(events)
                .allSatisfy(event -> assertThat(EventCodec.decode(EventCodec.encode(event, RecordFormat.NEWEST)))
                        .isEqualTo(event));
    }

    private static void decodeOrRefuse(byte[] bytes) {
        try {
            assertThat(EventCodec.decode(bytes)).isNotNull();
        } catch (UnreadableRecordException e) {
            assertThat(e).hasMessageNotContaining("null");
        }
    }
}
