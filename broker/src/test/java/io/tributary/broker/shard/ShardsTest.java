package io.tributary.broker.shard;

import static io.tributary.broker.shard.fold.Samples.NODE;
import static io.tributary.broker.shard.fold.Samples.attach;
import static io.tributary.broker.shard.fold.Samples.detach;
import static io.tributary.broker.shard.fold.Samples.message;
import static io.tributary.broker.shard.fold.Samples.recipient;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.delivery.ConnectionRegistry;
import io.tributary.broker.delivery.Delivery;
import io.tributary.broker.delivery.Endpoint;
import io.tributary.broker.shard.fold.Samples;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Destinations;
import io.tributary.common.event.EventCodec;
import io.tributary.common.event.GroupIdentifier;
import io.tributary.common.event.Principal;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.ShardEvent.Attach;
import io.tributary.common.event.ShardEvent.Relay;
import io.tributary.common.event.ShardEvent.Release;
import io.tributary.common.event.Source;
import io.tributary.common.event.TenantNames;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.thread.RoomQueue;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ShardsTest {
    private static final int SHARDS = 5;

    private final InstantLog log = new InstantLog(SHARDS);
    private final Answers answers = new Answers();
    private final InstantTopics topics = new InstantTopics();
    private final ShardConfig config = ShardConfig.builder()
            .threads(2)
            .savePointMessages(500)
            .savePointSize(1024)
            .unsavedSize(5 * 1024)
            .windowMessages(9)
            .windowSize(1024)
            .build();
    private final ShardAppends appends =
            new ShardAppends(config, log, topics, InstantSource.system(), RecordFormat.alone());
    private final List<ShardRecorder.Drop> drops = new CopyOnWriteArrayList<>();
    private final ShardRecorder recorder = new ShardRecorder() {
        @Override
        public void dropped(Drop reason) {
            drops.add(reason);
        }
    };
    private final Shards shards = new Shards(
            config, log, new InstantStore(SHARDS), topics, InstantSource.system(), appends, node(OtherNodes.NONE));

    @BeforeEach
    void start() {
        shards.start();
        shards.own();
    }

    private Shards.Node node(OtherNodes others) {
        return new Shards.Node(
                NODE, _ -> false, answers.connections, new NoRouting(), new NoObserver(), others, () -> true, recorder);
    }

    /** Shards that nobody assigns to the node. */
    private Shards idle(OtherNodes others) {
        return idle(others, RecordFormat.alone());
    }

    private Shards idle(OtherNodes others, RecordFormat format) {
        HeldLog held = new HeldLog(2);
        return new Shards(
                ShardConfig.defaults(),
                held,
                new InstantStore(2),
                topics,
                InstantSource.system(),
                new ShardAppends(ShardConfig.defaults(), held, topics, InstantSource.system(), format),
                node(others));
    }

    @AfterEach
    void stop() {
        shards.close();
    }

    @Test
    void allShardsGoLive() {
        shards.allOwned().toCompletableFuture().join();
    }

    @Test
    void nodeKnowsWhatItOwns() {
        shards.allOwned().toCompletableFuture().join();
        assertThat(shards.ownedShards()).isEqualTo(SHARDS);
        assertThat(shards.unowned()).isZero();
        assertThat(shards.owns("a")).isTrue();
    }

    @Test
    void everyShardIsOwnedWhenOtherNodesServeTheRest() {
        Set<Integer> elsewhere = ConcurrentHashMap.newKeySet();
        Shards idle = idle(new NoOtherNodes() {
            @Override
            public boolean isOwned(int shard) {
                return elsewhere.contains(shard);
            }
        });
        idle.start();
        idle.own();
        CompletionStage<?> all = idle.allOwned();
        try {
            elsewhere.add(1);
            assertThat(idle.unowned()).isEqualTo(1);
            assertThat(idle.ownedShards()).isZero();
            assertThat(idle.owns("a")).isFalse();
            assertThat(all.toCompletableFuture()).isNotDone();
            elsewhere.add(0);
            all.toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
        } finally {
            idle.close();
        }
    }

    @Test
    void connectionsThatNobodyAnswersAreBounded() {
        Shards idle = idle(OtherNodes.NONE);
        idle.start();
        try {
            int taken = 0;
            for (int i = 0; i < 200_000; i++) {
                if (idle.mayAttach("client-" + i)) {
                    idle.attach(attach("client-" + i, i), _ -> {});
                    taken++;
                }
            }
            assertThat(taken).isEqualTo(2_000);
            idle.attachAnswered("client-0");
            assertThat(idle.mayAttach("client-0")).isTrue();
        } finally {
            idle.close();
        }
    }

    @Test
    void hostsOfSharedSubscriptionsTakeNoPlacesOfClients() {
        Shards idle = idle(OtherNodes.NONE);
        idle.start();
        try {
            for (int i = 0; i < 4 * WaitingAttaches.MOST_WITHOUT_OWNER; i++) {
                idle.attach(attach(GroupIdentifier.ofName("n/t" + i), i), _ -> {});
            }
            assertThat(idle.mayAttach("client-0")).isTrue();
            assertThat(idle.mayAttach("client-1")).isTrue();
        } finally {
            idle.close();
        }
    }

    @Test
    void clientOfATenantHasToWaitUntilEveryNodeKnowsTenants() {
        RecordFormat format = new RecordFormat(RecordFormat.NEWEST);
        Shards idle = idle(OtherNodes.NONE, format);
        assertThat(idle.mayAttach("7")).isTrue();
        assertThat(idle.mayAttach(TenantNames.clientId("acme", "7"))).isFalse();
        format.raise(TenantNames.FIRST_FORMAT);
        assertThat(idle.mayAttach(TenantNames.clientId("acme", "7"))).isTrue();
    }

    @Test
    void offsetThatNobodyKnowsIsNotTold() throws InterruptedException {
        List<Long> told = new CopyOnWriteArrayList<>();
        shards.attach(attach("a", 1), told::add);
        long offset = answers.attached.take().epoch();
        log.tellsOffsets = false;
        shards.attach(attach("b", 2), told::add);
        assertThat(told).containsExactly(offset);
    }

    @Test
    void qos0ReachesTheConnection() throws InterruptedException {
        shards.attach(attach("a", 1), _ -> {});
        long session = answers.attached.take().session();
        shards.qos0(shards.shardOf("a"), "a", session, Samples.queued("m"));
        assertThat(answers.qos0.take()).isEqualTo("a/" + session);
    }

    @Test
    void qos0ThatIsTooLargeTogetherForTheShardThreadsIsDropped() {
        Shards notStarted = idle(OtherNodes.NONE);
        for (int i = 0; i < 20; i++) {
            Message large = Message.of("t", new byte[2 << 20], QoS.AT_MOST_ONCE);
            notStarted.qos0(0, "a", 1, new Queued(large, QoS.AT_MOST_ONCE, false, List.of(), null));
        }
        assertThat(drops).hasSize(13).containsOnly(ShardRecorder.Drop.OWNER_BUSY);
        notStarted.start();
        notStarted.close();
        assertThat(drops).hasSize(13);
    }

    @Test
    void messageReachesConnectionsOfAllShards() throws InterruptedException {
        List<Recipient> recipients = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            shards.attach(attach("client-" + i, i), _ -> {});
            Attached attached = answers.attached.take();
            recipients.add(recipient("client-" + i, attached.session()));
        }
        CompletableFuture<Void> done = new CompletableFuture<>();
        appends.publish(message("m"), recipients, null, (offset, failure) -> done.complete(null));
        done.join();
        Set<Long> reached = new HashSet<>();
        while (reached.size() < 20) {
            reached.add(answers.delivered.take());
        }
        for (Recipient recipient : recipients) {
            shards.settle(recipient.clientId(), recipient.session(), new long[] {1});
            shards.detach(detach(recipient.clientId(), recipient.session(), 1), () -> {});
        }
    }

    @Test
    void pubrecIsAnswered() throws InterruptedException {
        shards.attach(attach("a", 1), _ -> {});
        Attached attached = answers.attached.take();
        appends.publish(message("m"), List.of(recipient("a", attached.session())), null, (offset, failure) -> {});
        answers.delivered.take();
        shards.received("a", attached.epoch(), new long[] {1});
        assertThat(answers.received.take()).isEqualTo("[1]");
    }

    @Test
    void relayAndReleaseAreAnswered() throws InterruptedException {
        shards.attach(attach("a", 1), _ -> {});
        long epoch = answers.attached.take().epoch();
        CompletableFuture<Boolean> relayed = new CompletableFuture<>();
        appends.relay(
                new Relay("a", epoch, 1, message("m"), Destinations.NONE),
                () -> true,
                (offset, failure) -> relayed.complete(failure == null));
        assertThat(relayed.join()).isTrue();
        CompletableFuture<Boolean> released = new CompletableFuture<>();
        shards.release(new Release("a", epoch, 1), (offset, failure) -> released.complete(failure == null));
        assertThat(released.join()).isTrue();
    }

    /** It was matched after its connection had ended: nobody would ever say that it is done with. */
    @Test
    void relayThatNobodyWaitsForIsNotKept() throws InterruptedException {
        shards.attach(attach("a", 1), _ -> {});
        Attached attached = answers.attached.take();
        shards.detach(detach("a", attached.session(), attached.epoch()), () -> {});
        appends.relay(new Relay("a", attached.epoch(), 1, message("m"), Destinations.NONE), () -> false, (_, _) -> {});
        assertThat(appends.relays().isEmpty()).isTrue();
    }

    @Test
    void sessionIsTakenOverFromANodeThatIsGone() throws InterruptedException {
        shards.attach(
                new Attach("a", "gone", 1, false, 60, 10, ClientKind.DEVICE, null, Principal.ANONYMOUS, false),
                _ -> {});
        shards.attach(attach("a", 2), _ -> {});
        assertThat(answers.attached.take().sessionPresent()).isTrue();
    }

    @Test
    void connectionsKeepTheirSessionsWhenTheShardIsAssignedAgain() throws InterruptedException {
        shards.attach(attach("a", 1), _ -> {});
        long session = answers.attached.take().session();
        log.assign(shards.shardOf("a"));
        assertThat(answers.attached.take().session()).isEqualTo(session);
    }

    @Test
    void logIsPausedWhenTheOwnerCannotKeepUp() throws InterruptedException {
        shards.allOwned().toCompletableFuture().join();
        log.flood(shards.shardOf("a"), EventCodec.encode(new Release("nobody", 0, 1), RecordFormat.NEWEST), 10_001);
        assertThat(log.pauses()).isEqualTo(1);
        shards.attach(attach("a", 1), _ -> {}); // is read when the log goes on
        answers.attached.take();
    }

    @Test
    void publisherIsToldWhenAShardLagsByHalfOfTheRetention() throws InterruptedException {
        shards.attach(attach("a", 1), _ -> {});
        Attached attached = answers.attached.take();
        int other = (shards.shardOf("a") + 1) % SHARDS;
        List<String> told = new ArrayList<>();
        Recipient recipient = recipient("a", attached.session());
        Runnable publish = () -> appends.publish(
                message("m"), List.of(recipient), null, (_, failure) -> told.add(failure == null ? "safe" : "refused"));
        Runnable relay = () -> appends.relay(
                new Relay("a", attached.epoch(), 1, message("m"), Destinations.NONE),
                () -> true,
                (_, failure) -> told.add(failure == null ? "safe" : "refused"));
        log.lag(Set.of(other));
        publish.run();
        log.lag(Set.of(shards.shardOf("a")));
        publish.run();
        relay.run();
        CompletableFuture<Void> handedOn =
                new CompletableFuture<>(); // what a shard has taken already, another one must take
        appends.publish(
                message("m"), List.of(recipient), new Source(other, 1, 0), (_, failure) -> handedOn.complete(null));
        handedOn.join();
        log.lag(Set.of());
        publish.run();
        assertThat(told).containsExactly("safe", "refused", "refused", "safe");
    }

    @Test
    void roomIsThereWhenTheLogTakesEverything() {
        List<String> told = new ArrayList<>();
        shards.onRoom(() -> told.add("room"));
        assertThat(told).containsExactly("room");
        assertThat(shards.isCongested()).isFalse();
    }

    /** What connections are told, by kind. */
    private static final class Answers {
        final BlockingQueue<Attached> attached = new LinkedBlockingQueue<>();
        final BlockingQueue<Long> delivered = new LinkedBlockingQueue<>();
        final BlockingQueue<String> qos0 = new LinkedBlockingQueue<>();
        final BlockingQueue<String> received = new LinkedBlockingQueue<>();
        final ConnectionRegistry connections = new ConnectionRegistry();

        Answers() {
            for (long number = 0; number < 20; number++) {
                connections.add(number, new Answering(number));
            }
            connections.addPersistent(new Answering(1));
        }

        /** A connection of client "a". */
        private final class Answering implements Endpoint {
            private final long number;
            private volatile long asked;

            Answering(long number) {
                this.number = number;
            }

            @Override
            public String clientId() {
                return "a";
            }

            @Override
            public void attached(Attached answer) {
                attached.add(answer);
            }

            @Override
            public void deliver(List<Delivery> deliveries) {
                delivered.add(number);
            }

            @Override
            public void receivedLogged(long[] sequences) {
                received.add(Arrays.toString(sequences));
            }

            @Override
            public boolean has(long session) {
                asked = session;
                return true;
            }

            @Override
            public @Nullable RoomQueue offer(Queued message) {
                qos0.add("a/" + asked);
                return null;
            }
        }
    }
}
