package io.tributary.broker.group;

import static io.tributary.broker.group.GroupFixture.SHARED_PER_CLIENT;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.delivery.Endpoint;
import io.tributary.broker.shard.TickingThread;
import io.tributary.common.event.GroupIdentifier;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.topic.TopicFilter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ApplicationGroupsTest {
    private final GroupFixture fixture = new GroupFixture();
    private final List<GroupRecorder.Drop> drops = new ArrayList<>();
    private final GroupRecorder recorder = new GroupRecorder() {
        @Override
        public void dropped(Drop reason) {
            drops.add(reason);
        }
    };
    private final ApplicationGroups groups = new ApplicationGroups(
            new GroupHosts(fixture.connections, recorder, new FixtureThread(), fixture::nanos), fixture.services);
    private final List<String> hosted = new ArrayList<>();
    private long session = 100;

    @BeforeEach
    void start() {
        groups.start();
        fixture.online("a", "b");
        fixture.run();
        host(GroupFixture.GROUP);
        fixture.unsubscribe("a", GroupFixture.GROUP);
        hosted.clear();
    }

    @Test
    void whatAClientHasLeftCountsUntilItsSessionsAreOver() {
        for (int cycle = 0; cycle < 4; cycle++) {
            for (int i = 0; i < SHARED_PER_CLIENT; i++) {
                var _ = share("a", group(cycle, i));
            }
            for (int i = 0; i < SHARED_PER_CLIENT; i++) {
                fixture.unsubscribe("a", group(cycle, i));
            }
        }
        assertThat(hosted).containsExactly(group(0, 0), group(0, 1), group(0, 2));
        assertThat(share("a", group(9, 0))).isCompletedExceptionally();
        assertThat(share("b", group(9, 1))).isCompleted();

        fixture.pass(Duration.ofSeconds(61));
        tick();
        assertThat(share("a", group(9, 2))).isCompleted();
    }

    @Test
    void whatAClientHasLeftToOthersDoesNotCount() {
        for (int i = 0; i < SHARED_PER_CLIENT; i++) {
            var _ = share("a", group(0, i));
            fixture.subscribe("b", group(0, i));
            fixture.unsubscribe("a", group(0, i));
        }
        assertThat(share("a", group(1, 0))).isCompleted();
    }

    /** The client has them from a time when it was allowed more, or at another node. */
    @Test
    void whatAClientHasIsHostedHoweverMuchItIs() {
        for (int i = 0; i < 2 * SHARED_PER_CLIENT; i++) {
            assertThat(share("a", group(0, i))).isCompleted();
        }
    }

    @Test
    void qos0ThatIsTooLargeTogetherForTheThreadIsDropped() {
        Endpoint host = Objects.requireNonNull(fixture.connections.persistent(GroupIdentifier.of(GroupFixture.GROUP)));
        offerLarge(host, 20);
        assertThat(drops).hasSize(13).containsOnly(GroupRecorder.Drop.BUSY);
        fixture.run();
        offerLarge(host, 7);
        assertThat(drops).hasSize(13);
    }

    private static void offerLarge(Endpoint host, int count) {
        for (int i = 0; i < count; i++) {
            Message large = Message.of("t", new byte[2 << 20], QoS.AT_MOST_ONCE);
            assertThat(host.offer(new Queued(large, QoS.AT_MOST_ONCE, false, List.of(), null)))
                    .isNull();
        }
    }

    private static String group(int cycle, int number) {
        return "$share/" + cycle + "-" + number + "/#";
    }

    /** As a SUBSCRIBE does; a host that asks for its session is answered. */
    private CompletableFuture<@Nullable Void> share(String clientId, String group) {
        fixture.subscribe(clientId, group);
        CompletableFuture<@Nullable Void> shared =
                groups.share(TopicFilter.parse(group)).toCompletableFuture();
        fixture.run();
        if (!shared.isDone()) {
            host(group);
            tick();
        }
        return shared;
    }

    private void host(String group) {
        Endpoint host = fixture.connections.persistent(GroupIdentifier.of(group));
        if (host != null) {
            host.attached(GroupFixture.attached(++session));
            hosted.add(group);
        }
        fixture.run();
    }

    private void tick() {
        groups.tick();
        fixture.run();
        groups.tick();
        fixture.run();
    }

    private final class FixtureThread implements TickingThread {
        private final List<Runnable> ticks = new ArrayList<>();

        @Override
        public void start() {}

        @Override
        public void everyTick(Runnable tick) {
            ticks.add(tick);
        }

        @Override
        public boolean isCaller() {
            return true;
        }

        @Override
        public void execute(Runnable task) {
            fixture.thread().execute(() -> {
                task.run();
                ticks.forEach(Runnable::run);
            });
        }

        @Override
        public void stop() {}
    }
}
