package io.tributary.cluster.kafka.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.cluster.kafka.layout.LayoutEvent.Abandoned;
import io.tributary.cluster.kafka.layout.LayoutEvent.Begun;
import io.tributary.cluster.kafka.layout.LayoutEvent.Switched;
import io.tributary.common.event.UnreadableRecordException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class LayoutHistoryTest {
    private static final int LARGEST = 1_000_000;

    private final LayoutHistory history = new LayoutHistory();
    private long offset;

    @Test
    void shardsAreThoseOfTheConfigurationUntilTheyAreChanged() {
        assertThat(history.current(24)).isEqualTo(new ShardLayout(0, 24, 0));
        assertThat(history.pending()).isNull();
        assertThat(history.others()).isEmpty();
    }

    @Test
    void newShardsCountFromTheSwitchOnAndNotBefore() {
        fold(new Begun(24, 8, LARGEST));
        assertThat(history.current(24)).isEqualTo(ShardLayout.first(24));
        assertThat(Objects.requireNonNull(history.pending()).generation()).isEqualTo(1);
        assertThat(history.others()).isEqualTo(Map.of(1, 8));

        fold(new Switched(1, 77));
        assertThat(history.current(24)).isEqualTo(new ShardLayout(1, 8, 77));
        assertThat(history.pending()).isNull();
        assertThat(history.others()).isEqualTo(Map.of(0, 24));
    }

    @Test
    void whoBeganFirstDoesNotSwitchWhenAnotherHasBegunSince() {
        fold(new Begun(24, 8, LARGEST));
        fold(new Begun(24, 48, LARGEST));
        fold(new Switched(1, 77));
        assertThat(history.current(24)).isEqualTo(ShardLayout.first(24));
        assertThat(history.isPending(1)).isFalse();
        assertThat(history.isPending(2)).isTrue();
        fold(new Abandoned(1));
        assertThat(history.isPending(2)).isTrue();
        fold(new Switched(2, 78));
        assertThat(history.current(24)).isEqualTo(new ShardLayout(2, 48, 78));
        assertThat(history.others()).isEqualTo(Map.of(0, 24, 1, 8));
    }

    @Test
    void whatIsGivenUpNeverCounts() {
        fold(new Begun(24, 8, LARGEST));
        fold(new Abandoned(1));
        fold(new Switched(1, 77));
        assertThat(history.current(24)).isEqualTo(ShardLayout.first(24));
        assertThat(history.pending()).isNull();
        assertThat(history.others()).isEqualTo(Map.of(1, 8));
    }

    @Test
    void bytesAreThoseOfFormatOne() {
        hasBytes("01011808c0843d", new Begun(24, 8, LARGEST));
        hasBytes("010202ac02", new Switched(2, 300));
        hasBytes("010303", new Abandoned(3));
    }

    @Test
    void newerAndUnknownRecordsAreRefused() {
        assertThatThrownBy(() -> decode("0201")).isInstanceOf(UnreadableRecordException.class);
        assertThatThrownBy(() -> decode("0109")).isInstanceOf(UnreadableRecordException.class);
        assertThatThrownBy(() -> decode("01030300")).isInstanceOf(UnreadableRecordException.class);
    }

    private void fold(LayoutEvent event) {
        history.fold(offset++, event);
    }

    private static void hasBytes(String hex, LayoutEvent event) {
        assertThat(HexFormat.of().formatHex(LayoutCodec.encode(event))).isEqualTo(hex);
        assertThat(decode(hex)).isEqualTo(event);
    }

    private static LayoutEvent decode(String hex) {
        return LayoutCodec.decode(HexFormat.of().parseHex(hex));
    }
}
