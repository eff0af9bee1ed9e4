package io.tributary.cluster.kafka.map;

import static io.tributary.persistence.contract.Waiting.assertFails;
import static io.tributary.persistence.contract.Waiting.get;
import static io.tributary.persistence.contract.Waiting.stall;
import static io.tributary.persistence.contract.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.LONG;

import io.tributary.cluster.kafka.KafkaAccessException;
import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaRecorder;
import io.tributary.cluster.kafka.TestKafka;
import io.tributary.persistence.contract.ReplicatedMapContract;
import io.tributary.persistence.contract.Waiting;
import io.tributary.persistence.replicated.ReplicatedMap;
import io.tributary.persistence.replicated.Visibility;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

class KafkaReplicatedMapTest extends ReplicatedMapContract {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaReplicatedMapTest.class);
    private static final int MANY = 200_000;

    private final KafkaConfig config = TestKafka.withTopics(TestKafka.config(), "map", "map2", "map3");
    private final KafkaMaps maps = node(config, Visibility.ALONE);
    private final List<KafkaMaps> nodes = new ArrayList<>(List.of(maps));

    @Override
    protected ReplicatedMap open(String name) {
        return maps.open(name);
    }

    @AfterEach
    void closeNodes() {
        nodes.forEach(KafkaMaps::close);
    }

    @Test
    void followersOfAllNodesSeeWhatAnyWroteWhenTheyAreCaughtUp() {
        ReplicatedMap here = maps.open("map2");
        ReplicatedMap there = other(Visibility.ALONE).open("map2");
        Map<String, String> seen = new ConcurrentHashMap<>();
        get(there.follow((key, value) -> seen.put(key, text(value))));
        for (int i = 0; i < 50; i++) {
            get(here.put("a", bytes("v" + i)));
            get(there.caughtUp());
            assertThat(seen).containsEntry("a", "v" + i);
        }
    }

    @Test
    void followerIsToldTheTimeOfTheServersWhenItSeesAChange() {
        ReplicatedMap map = maps.open("map2");
        List<Long> times = new CopyOnWriteArrayList<>();
        get(map.follow(new ReplicatedMap.Follower() {
            @Override
            public void onChange(String key, byte @Nullable [] value) {}

            @Override
            public void onTime(long timeMillis) {
                times.add(timeMillis);
            }
        }));
        long before = System.currentTimeMillis();
        get(map.put("a", bytes("1")));
        assertThat(times).last(LONG).isBetween(before, System.currentTimeMillis());
    }

    @Test
    void changesOfAKeyComeInOrderWhereKeysAreTakenSideBySide() {
        ReplicatedMap here = maps.open("map2");
        List<CompletionStage<?>> written = new ArrayList<>();
        for (String value : List.of("1", "2", "3")) {
            for (int key = 0; key < 3_000; key++) {
                written.add(here.put("key " + key, bytes(value)));
            }
        }
        written.forEach(Waiting::get);
        Map<String, String> seen = new ConcurrentHashMap<>();
        get(other(Visibility.ALONE).open("map2").follow(new ReplicatedMap.Follower() {
            @Override
            public void onChange(String key, byte @Nullable [] value) {
                seen.merge(key, text(value), String::concat);
            }

            @Override
            public boolean takesKeysSideBySide() {
                return true;
            }
        }));
        assertThat(seen).hasSize(3_000);
        assertThat(seen.values()).containsOnly("123");
    }

    @Test
    void removedEntriesAreNotReplayedAsEntriesWhenFollowedElsewhere() {
        ReplicatedMap here = maps.open("map2");
        get(here.put("kept", bytes("1")));
        get(here.put("removed", bytes("1")));
        get(here.remove("removed"));
        Map<String, String> seen = new ConcurrentHashMap<>();
        get(other(Visibility.ALONE).open("map2").follow((key, value) -> {
            if (value == null) {
                seen.remove(key);
            } else {
                seen.put(key, text(value));
            }
        }));
        assertThat(seen).containsOnly(Map.entry("kept", "1"));
    }

    @Test
    void writeWaitsForTheOtherNodesWhenTheyAreBehind() {
        HeldVisibility visibility = new HeldVisibility();
        ReplicatedMap map = other(visibility).open("map2");
        get(map.follow((key, value) -> {}));
        CompletableFuture<@Nullable Void> written = map.put("a", bytes("1")).toCompletableFuture();
        until(() -> visibility.asked.contains(1L));
        assertThat(written).isNotDone();
        assertThat(visibility.reached).contains(1L);
        visibility.everywhere.complete(null);
        get(written);
    }

    @Test
    void writesOfClientsFailWithoutEffectWhenTooMuchWaitsAndLeaveRoomForOthers() {
        KafkaConfig small = config.withAppends(KafkaConfig.Appends.defaults().withBufferBytes(64 * 1024));
        HeldVisibility visibility = new HeldVisibility();
        KafkaMaps node = node(small, visibility);
        nodes.add(node);
        ReplicatedMap map = node.openForClients("map2");
        List<CompletionStage<@Nullable Void>> accepted = new ArrayList<>();
        CompletionStage<@Nullable Void> last = map.put("0", new byte[1000]);
        while (!last.toCompletableFuture().isCompletedExceptionally()) {
            accepted.add(last);
            assertThat(accepted).hasSizeLessThan(100);
            last = map.put(Integer.toString(accepted.size()), new byte[1000]);
        }
        assertFails(last, KafkaAccessException.class);
        assertFails(node.openForClients("map3").put("a", new byte[40_000]), KafkaAccessException.class);
        CompletionStage<@Nullable Void> ofAnother = node.open("map").put("a", new byte[10_000]);
        visibility.everywhere.complete(null);
        get(ofAnother); // a map leaves room for others
        accepted.forEach(stage -> get(stage));
        get(map.put("again", bytes("1")));
        Map<String, String> seen = new ConcurrentHashMap<>();
        get(map.follow((key, value) -> seen.put(key, "")));
        assertThat(seen).hasSize(accepted.size() + 1);
    }

    @Test
    void catchingUpWaitsForTheFollowerWhenItIsBehind() {
        ReplicatedMap here = maps.open("map2");
        ReplicatedMap there = other(Visibility.ALONE).open("map2");
        CountDownLatch stalled = new CountDownLatch(1);
        List<String> seen = new CopyOnWriteArrayList<>();
        get(there.follow((key, value) -> {
            stall(stalled);
            seen.add(key);
        }));
        get(here.put("a", bytes("1")));
        List<CompletableFuture<@Nullable Void>> calls = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            calls.add(there.caughtUp().toCompletableFuture());
        }
        assertThat(calls).noneMatch(CompletableFuture::isDone);
        stalled.countDown();
        calls.forEach(call -> get(call));
        assertThat(seen).containsExactly("a");
    }

    @Test
    void everythingIsReplayedWhenTheMapIsLarge() {
        ReplicatedMap here = maps.open("map2");
        List<CompletionStage<@Nullable Void>> puts = new ArrayList<>();
        byte[] value = new byte[100];
        for (int i = 0; i < MANY; i++) {
            puts.add(here.put("client-" + i, value));
            if (puts.size() == 10_000) {
                puts.forEach(put -> get(put));
                puts.clear();
            }
        }
        Map<String, Boolean> seen = new ConcurrentHashMap<>();
        ReplicatedMap there = other(Visibility.ALONE).open("map2");
        long began = System.nanoTime();
        get(there.follow((key, _) -> seen.put(key, true)));
        LOG.info("{} entries replayed in {} ms", MANY, (System.nanoTime() - began) / 1_000_000);
        assertThat(seen).hasSize(MANY);
    }

    @Test
    void openingFailsWhenTheMapIsOpenOrItsTopicHasMorePartitions() {
        assertThatThrownBy(() -> maps.open("map")).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> maps.open("shards")).isInstanceOf(IllegalArgumentException.class);
    }

    private KafkaMaps other(Visibility visibility) {
        KafkaMaps node = node(config, visibility);
        nodes.add(node);
        return node;
    }

    private static KafkaMaps node(KafkaConfig config, Visibility visibility) {
        return new KafkaMaps(config, "node", 2, visibility, KafkaRecorder.NONE, failure -> {});
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte @Nullable [] value) {
        return value == null ? "null" : new String(value, StandardCharsets.UTF_8);
    }

    /** Other nodes that are behind until the test says that they are not. */
    private static final class HeldVisibility implements Visibility {
        private final List<Long> asked = new CopyOnWriteArrayList<>();
        private final List<Long> reached = new CopyOnWriteArrayList<>();
        private final CompletableFuture<@Nullable Void> everywhere = new CompletableFuture<>();

        @Override
        public CompletionStage<@Nullable Void> everywhere(String map, long position) {
            asked.add(position);
            return everywhere;
        }

        @Override
        public void reached(String map, long position) {
            reached.add(position);
        }
    }
}
