package io.tributary.cluster.redis;

import static io.tributary.persistence.contract.SavePoints.message;
import static io.tributary.persistence.contract.SavePoints.queued;
import static io.tributary.persistence.contract.SavePoints.will;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.QueueEntry.Released;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.StateCodec;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import io.tributary.persistence.shard.SavePoint.ClientWill;
import io.tributary.persistence.shard.SavePoint.SourcePosition;
import io.tributary.persistence.shard.ShardStore.Entry;
import io.tributary.persistence.shard.ShardStore.Remnant;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The bytes in Redis: a newer version has to read what an older one left there. */
class StateBytesTest {
    private static final long LARGE = (1L << 53) - 2;

    @Test
    void membersHaveSequenceNumberAndSizeInFront() {
        assertThat(hex(StateBytes.member(0x0102_0304_0506L, new Released(), null, 1)))
                .isEqualTo("0001020304050600000000" + "00" + "0143");
        byte[] member = StateBytes.member(LARGE, queued(5), null, RecordFormat.NEWEST);
        assertThat(hex(member)).startsWith("1ffffffffffffe" + "00000038" + "00");
        assertThat(StateBytes.entry(member)).isEqualTo(new Entry(LARGE, queued(5)));
    }

    @Test
    void membersOfMessagesThatLieApartHaveTheirNameAndWhatIsTheClients() {
        Queued expiring = new Queued(message(5).withExpiry(258), QoS.EXACTLY_ONCE, true, List.of(3), null);
        byte[] body = StateCodec.encodeMessage(expiring.message(), null, RecordFormat.NEWEST);
        byte[] id = BodyId.of(body);
        byte[] member = StateBytes.member(7, expiring, id, RecordFormat.NEWEST);
        assertThat(hex(member))
                .isEqualTo("00000000000007" + "0000003c" + "03" + "00000000000102" + hex(id) + "04460e0103");
        assertThat(id).hasSize(BodyId.BYTES).asString(StandardCharsets.US_ASCII).matches("[-_0-9A-Za-z]+");
        assertThat(StateBytes.isApart(member)).isTrue();
        assertThat(StateBytes.entry(member, body)).isEqualTo(new Entry(7, expiring));
        assertThat(StateBytes.remnant(member)).isEqualTo(new Remnant(7, expiring.sizeBytes(), 258));

        byte[] inline = StateBytes.member(7, expiring, null, RecordFormat.NEWEST);
        assertThat(hex(inline)).startsWith("00000000000007" + "0000003c" + "01" + "00000000000102" + "0442");
        assertThat(StateBytes.isApart(inline)).isFalse();
        assertThat(StateBytes.entry(inline)).isEqualTo(new Entry(7, expiring));
    }

    @Test
    void membersHaveThePriorityInTheirKind() {
        Queued expiring = new Queued(message(5).withExpiry(258), QoS.EXACTLY_ONCE, true, List.of(3), null);
        byte[] id = BodyId.of(StateCodec.encodeMessage(expiring.message(), null, 3));
        assertThat(hex(StateBytes.member(7, expiring, id, 3)))
                .as("without a priority it is what it was")
                .isEqualTo("00000000000007" + "0000003c" + "03" + "00000000000102" + hex(id) + "03460e0103");
        assertThat(kindOf(StateBytes.member(7, queued(5, 1), null, RecordFormat.NEWEST)))
                .isEqualTo(0x04);
        assertThat(kindOf(StateBytes.member(7, queued(5, 3), id, RecordFormat.NEWEST)))
                .isEqualTo(0x0e);
        for (int priority = 0; priority <= Message.HIGHEST_PRIORITY; priority++) {
            Message message = expiring.message().withPriority(priority);
            Queued urgent = new Queued(message, QoS.EXACTLY_ONCE, true, List.of(3), null);
            byte[] inline = StateBytes.member(7, urgent, null, RecordFormat.NEWEST);
            assertThat(kindOf(inline)).isEqualTo(1 + 4 * priority);
            assertThat(StateBytes.isApart(inline)).isFalse();
            assertThat(StateBytes.entry(inline)).isEqualTo(new Entry(7, urgent));

            byte[] body = StateCodec.encodeMessage(message, null, RecordFormat.NEWEST);
            byte[] apart = StateBytes.member(7, urgent, BodyId.of(body), RecordFormat.NEWEST);
            assertThat(kindOf(apart)).isEqualTo(3 + 4 * priority);
            assertThat(StateBytes.isApart(apart)).isTrue();
            assertThat(StateBytes.entry(apart, body)).isEqualTo(new Entry(7, urgent));
            assertThat(StateBytes.remnant(apart)).isEqualTo(new Remnant(7, urgent.sizeBytes(), 258, priority));
        }
    }

    @Test
    void fieldsOfWillsHaveTheEpochInFront() {
        ClientWill will = will("käse", LARGE);
        byte[] field = StateBytes.willField("käse", LARGE);
        assertThat(hex(field)).isEqualTo("1ffffffffffffe" + "6bc3a47365");
        assertThat(StateBytes.will(field, StateCodec.encodeWill(will.will(), false, RecordFormat.NEWEST)))
                .isEqualTo(will);
    }

    @Test
    void sourcesAreTexts() {
        SourcePosition source = new SourcePosition(127, LARGE, 3);
        String field = StateBytes.text(StateBytes.sourceField(source));
        String value = StateBytes.text(StateBytes.sourceValue(source));
        assertThat(field).isEqualTo("source:127");
        assertThat(value).isEqualTo("9007199254740990 3");
        assertThat(StateBytes.isSource(field)).isTrue();
        assertThat(StateBytes.source(field, value)).isEqualTo(source);
    }

    @Test
    void numbersThatAreNotExactAreRefused() {
        assertThatThrownBy(() -> StateBytes.decimal(1L << 53)).hasMessageContaining("2^53 - 1");
        assertThatThrownBy(() -> StateBytes.member(1L << 53, new Released(), null, RecordFormat.NEWEST))
                .hasMessageContaining("2^53 - 1");
        assertThatThrownBy(() -> StateBytes.willField("a", -1)).hasMessageContaining("not within");
        assertThat(StateBytes.decimal(-1)).isEqualTo("-1".getBytes(StandardCharsets.US_ASCII));
    }

    private static int kindOf(byte[] member) {
        return member[11];
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
