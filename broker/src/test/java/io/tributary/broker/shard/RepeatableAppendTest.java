package io.tributary.broker.shard;

import static io.tributary.broker.shard.fold.Samples.member;
import static io.tributary.broker.shard.fold.Samples.message;
import static io.tributary.broker.shard.fold.Samples.recipient;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.common.event.Recipient;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.event.ShardEvent.Publish;
import io.tributary.common.event.Source;
import io.tributary.common.mqtt.QoS;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RepeatableAppendTest {
    private static final Source SOURCE = new Source(Source.FIRST_INGEST, 7, 0);

    private final HeldLog log = new HeldLog(4);
    private final LogAppender appender = InstantTopics.appender(log);
    private final List<String> told = new ArrayList<>();

    @Test
    void shardGetsOneRecordWhichNothingFollowsWhenItsRecipientsFit() {
        publish(clients(0, 40));
        assertThat(publishes())
                .hasSize(4)
                .allSatisfy(publish ->
                        assertThat(publish.source()).isEqualTo(new Source(SOURCE.shard(), 7, Integer.MAX_VALUE)));
        assertThat(told).isEmpty();
        log.makeDurable();
        assertThat(told).containsExactly("durable");
    }

    @Test
    void membersOfSharedSubscriptionsGoWithoutSource() {
        publish(List.of(recipient("a", 1), member("b", 2, QoS.EXACTLY_ONCE)));
        assertThat(publishes())
                .extracting(Publish::source)
                .containsExactlyInAnyOrder(null, new Source(SOURCE.shard(), 7, Integer.MAX_VALUE));
        log.makeDurable();
        assertThat(told).containsExactly("durable");
    }

    @Test
    void partsOfAShardFollowEachOther() {
        publish(clients(0, 2_000));
        List<Source> seen = new ArrayList<>();
        publishes().stream()
                .filter(publish -> shardOf(publish) == 0)
                .map(Publish::source)
                .forEach(source -> {
                    assertThat(seen).allMatch(before -> source.isAfter(before.offset(), before.part()));
                    seen.add(source);
                });
        assertThat(seen).hasSizeBetween(2, 16);
        assertThat(publishes()).allMatch(publish -> publish.recipients().size() <= ShardEvent.MAX_RECIPIENTS);
        assertThat(receivers(publishes())).hasSize(2_000);
    }

    /** Between the crash and the repetition some go and others come; those of the first time get it, once. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 9, 100})
    void repetitionBringsWhatTheCrashLeftOutWhenOthersHaveSubscribed(int durableRecords) {
        List<Recipient> first = clients(0, 2_000);
        publish(first);
        Source last = null;
        Set<String> got = new HashSet<>();
        List<Publish> ofShard =
                publishes().stream().filter(publish -> shardOf(publish) == 0).toList();
        for (Publish publish : ofShard.subList(0, Math.min(durableRecords, ofShard.size()))) {
            publish.recipients()
                    .forEach(recipient ->
                            assertThat(got.add(recipient.clientId())).isTrue());
            last = Objects.requireNonNull(publish.source());
        }
        log.makeDurable();

        publish(clients(100, 2_500));
        for (Publish publish : publishes()) {
            Source source = Objects.requireNonNull(publish.source());
            boolean isSkipped = last != null && !source.isAfter(last.offset(), last.part());
            if (shardOf(publish) == 0 && !isSkipped) {
                publish.recipients()
                        .forEach(recipient ->
                                assertThat(got.add(recipient.clientId())).isTrue());
            }
        }
        assertThat(first.subList(100, 2_000))
                .extracting(Recipient::clientId)
                .filteredOn(client -> appender.shardOf(client) == 0)
                .allMatch(got::contains);
    }

    private void publish(List<Recipient> recipients) {
        RepeatableAppend.of(recipients, SOURCE, appender)
                .publish(message("m"), (_, failure) -> told.add(failure == null ? "durable" : "failed"));
    }

    private List<Publish> publishes() {
        return log.pending().stream().map(Publish.class::cast).toList();
    }

    private int shardOf(Publish publish) {
        return appender.shardOf(publish.recipients().getFirst().clientId());
    }

    private static Set<String> receivers(List<Publish> publishes) {
        Set<String> receivers = new HashSet<>();
        publishes.forEach(publish -> publish.recipients()
                .forEach(recipient ->
                        assertThat(receivers.add(recipient.clientId())).isTrue()));
        return receivers;
    }

    private static List<Recipient> clients(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(i -> recipient("client-" + i, i))
                .toList();
    }
}
