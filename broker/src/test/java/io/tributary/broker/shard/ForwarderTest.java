package io.tributary.broker.shard;

import static io.tributary.broker.shard.fold.Samples.message;
import static io.tributary.broker.shard.fold.Samples.recipient;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.shard.fold.Samples;
import io.tributary.common.event.Destinations;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.ShardEvent.Publish;
import io.tributary.common.event.Source;
import io.tributary.common.mqtt.Message;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ForwarderTest {
    private static final int SHARD = 5;

    private final HeldLog log = new HeldLog(2);
    private final LogAppender appender = InstantTopics.appender(log);
    private final List<String> transients = new ArrayList<>();
    private final List<Runnable> whenTaken = new ArrayList<>();
    private Destinations matched = Destinations.NONE;
    private int failures;
    private final Forwarder forwarder =
            new Forwarder(SHARD, appender, new Routing(), () -> true, Runnable::run, _ -> failures++);

    @Test
    void recordsNameTheirSource() {
        forwarder.forward(7, message("m"), Samples.recipients(in(0), in(1)));
        assertThat(sources()).containsExactly(new Source(SHARD, 7, 0), new Source(SHARD, 7, 0));
    }

    @Test
    void partsAreCountedForEachShard() {
        forwarder.forward(7, message("m"), Samples.recipients(in(0), in(1)));
        forwarder.forward(7, message("n"), Samples.recipients(in(1)));
        forwarder.forward(8, message("o"), Samples.recipients(in(1)));
        assertThat(sources())
                .containsExactly(
                        new Source(SHARD, 7, 0),
                        new Source(SHARD, 7, 0),
                        new Source(SHARD, 7, 1),
                        new Source(SHARD, 8, 0));
    }

    @Test
    void sourcesAreTheSameWhenFoldedAgain() {
        forwarder.forward(7, message("m"), Samples.recipients(in(0)));
        forwarder.forward(7, message("n"), Samples.recipients(in(0)));
        forwarder.restart();
        forwarder.forward(7, message("m"), Samples.recipients(in(0)));
        forwarder.forward(7, message("n"), Samples.recipients(in(0)));
        assertThat(sources().subList(2, 4)).isEqualTo(sources().subList(0, 2));
    }

    @Test
    void forwardIsDoneWhenAllItsRecordsAreDurable() {
        forwarder.forward(7, message("m"), Samples.recipients(in(0), in(1)));
        forwarder.forward(9, message("n"), Samples.recipients(in(0)));
        assertThat(forwarder.isDoneUpTo(6)).isTrue();
        assertThat(forwarder.isDoneUpTo(7)).isFalse();
        log.makeDurable();
        assertThat(forwarder.isDoneUpTo(9)).isTrue();
    }

    @Test
    void forwardIsRepeatedWhenItsAppendFailed() {
        forwarder.forward(7, message("m"), Samples.recipients(in(0)));
        log.fail();
        assertThat(failures).isEqualTo(1);
        forwarder.restart();
        forwarder.forward(7, message("m"), Samples.recipients(in(0)));
        assertThat(forwarder.isDoneUpTo(7)).isFalse();
        log.makeDurable();
        assertThat(forwarder.isDoneUpTo(7)).isTrue();
    }

    @Test
    void nothingIsWaitedForWhenThereAreNoDevices() {
        forwarder.forward(7, message("m"), Destinations.NONE);
        assertThat(forwarder.isDoneUpTo(7)).isTrue();
        assertThat(transients).containsExactly("m");
    }

    @Test
    void transientSessionsGetItOnceWhenFoldedAgain() {
        forwarder.forward(7, message("m"), Samples.recipients(in(0)));
        forwarder.restart();
        forwarder.forward(7, message("m"), Samples.recipients(in(0)));
        forwarder.forward(8, message("n"), Samples.recipients(in(0)));
        assertThat(transients).containsExactly("m", "n");
    }

    /** What it was matched with at first may have lacked one of them. */
    @Test
    void transientSessionsGetItOnceWhenItWasMatchedWhileNotAllSubscriptionsWereKnown() {
        Queue<Boolean> current = new ArrayDeque<>(List.of(true, false, true, true));
        Forwarder unsure =
                new Forwarder(SHARD, appender, new Routing(), current::remove, Runnable::run, _ -> failures++);
        unsure.forward(6, message("l"), Destinations.NONE);
        unsure.forward(7, message("m"), Destinations.MATCHED_LATER);
        assertThat(failures).isEqualTo(1);
        unsure.restart();
        unsure.forward(6, message("l"), Destinations.NONE);
        unsure.forward(7, message("m"), Destinations.MATCHED_LATER);
        assertThat(failures).isEqualTo(1);
        assertThat(transients).containsExactly("l", "m");
    }

    /** Of so many that they are named in several records, and are matched again when one of these was not written. */
    @Test
    void transientSessionsGetItOnceWhenItIsMatchedAgainForAFailedAppend() {
        matched = Samples.recipients(in(0), in(1));
        forwarder.forward(7, message("m"), Destinations.MATCHED_LATER);
        log.fail();
        forwarder.restart();
        forwarder.forward(7, message("m"), Destinations.MATCHED_LATER);
        log.makeDurable();
        assertThat(forwarder.isDoneUpTo(7)).isTrue();
        assertThat(transients).containsExactly("m");
    }

    @Test
    void willIsHandedOnWhenOtherNodesHaveItAndItIsSafe() {
        List<String> done = new ArrayList<>();
        forwarder.forward(7, message("will"), Samples.recipients(in(0)), () -> done.add("will"));
        log.makeDurable();
        assertThat(done).isEmpty();
        whenTaken.forEach(Runnable::run);
        assertThat(done).containsExactly("will");
        forwarder.forward(8, message("for nobody that is logged"), Destinations.NONE, () -> done.add("second"));
        assertThat(done).hasSize(1);
        whenTaken.getLast().run();
        assertThat(done).hasSize(2);
    }

    private List<Source> sources() {
        return log.pending().stream()
                .map(event -> Objects.requireNonNull(((Publish) event).source()))
                .toList();
    }

    private Recipient in(int shard) {
        return IntStream.range(0, 100)
                .mapToObj(i -> "client-" + i)
                .filter(name -> appender.shardOf(name) == shard)
                .map(name -> recipient(name, 0))
                .findFirst()
                .orElseThrow();
    }

    private final class Routing extends NoRouting {
        @Override
        public Destinations matchAgain(Message message) {
            return matched;
        }

        @Override
        public void deliverTransient(Message message, Destinations destinations, Runnable taken) {
            transients.add(Samples.text(message));
            whenTaken.add(taken);
        }
    }
}
