package io.tributary.persistence.contract;

import static io.tributary.persistence.contract.Waiting.assertFails;
import static io.tributary.persistence.contract.Waiting.get;
import static io.tributary.persistence.contract.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.persistence.replicated.ReplicatedMap;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every {@link ReplicatedMap} does. */
public abstract class ReplicatedMapContract {
    private static final int MANY = 3500;

    @SuppressWarnings("NullAway.Init")
    private ReplicatedMap map;

    /** Opens a map; one of the same name has what it had when it was closed, one of another name is another. */
    protected abstract ReplicatedMap open(String name);

    @BeforeEach
    void openMap() {
        map = open("map");
    }

    @AfterEach
    void closeMap() {
        map.close();
    }

    @Test
    void followingCompletesWhenTheMapIsEmpty() {
        Copy copy = new Copy();
        get(map.follow(copy));
        assertThat(copy.changes).isEmpty();
    }

    @Test
    void everyEntryIsHandedOutWhenFollowed() {
        Map<String, String> expected = new TreeMap<>();
        List<CompletionStage<@Nullable Void>> puts = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            puts.add(put("key-" + i, "value-" + i));
            expected.put("key-" + i, "value-" + i);
        }
        puts.forEach(Waiting::get);
        Copy copy = new Copy();
        get(map.follow(copy));
        assertThat(copy.entries).isEqualTo(expected);
        assertThat(copy.changes).hasSize(MANY);
    }

    @Test
    void changesAreSeenInOrderWhenMadeAfterFollowing() {
        Copy copy = new Copy();
        get(map.follow(copy));
        put("a", "1");
        put("b", "1");
        put("a", "2");
        map.remove("b");
        get(map.remove("never-there"));
        assertThat(copy.changes).startsWith("a=1", "b=1", "a=2", "b=null");
        assertThat(copy.entries).containsOnly(Map.entry("a", "2"));
    }

    @Test
    void followerHasSeenAWriteWhenItsStageCompletes() {
        Copy copy = new Copy();
        get(map.follow(copy));
        for (int i = 0; i < 100; i++) {
            get(put("a", "v" + i));
            assertThat(copy.entries).containsEntry("a", "v" + i);
        }
    }

    @Test
    void nothingIsMissedNorGoesBackWhenFollowedAmongWrites() throws InterruptedException {
        List<Thread> writers = IntStream.range(0, 3)
                .mapToObj(writer -> Thread.ofPlatform().start(() -> write(writer)))
                .toList();
        OrderedCopy copy = new OrderedCopy();
        get(map.follow(copy));
        for (Thread writer : writers) {
            writer.join();
        }
        assertThat(copy.wentBack).isEmpty();
        assertThat(copy.latest)
                .hasSize(3 * 50)
                .allSatisfy((key, value) -> assertThat(value).isEqualTo(49));
    }

    @Test
    void entriesAreThereWhenReopened() {
        put("kept", "1");
        put("removed", "1");
        put("replaced", "1");
        get(put("replaced", "2"));
        get(map.remove("removed"));
        map.close();
        map = open("map");
        Copy copy = new Copy();
        get(map.follow(copy));
        assertThat(copy.entries).isEqualTo(Map.of("kept", "1", "replaced", "2"));
    }

    @Test
    void mapsKeepApartWhenTheirNamesDiffer() {
        try (ReplicatedMap other = open("map2")) {
            get(put("a", "1"));
            Copy copy = new Copy();
            get(other.follow(copy));
            assertThat(copy.entries).isEmpty();
        }
    }

    @Test
    void keysAndValuesSurviveWhenUnusual() {
        String unusual = "höhe/😀/\0" + "x".repeat(10_000);
        get(put("", ""));
        get(put(unusual, ""));
        Copy copy = new Copy();
        get(map.follow(copy));
        assertThat(copy.entries).isEqualTo(Map.of("", "", unusual, ""));
    }

    @Test
    void acceptedWritesAreCompletedWhenClosed() {
        CompletionStage<@Nullable Void> written = put("a", "1");
        map.close();
        assertThat(written.toCompletableFuture()).isCompleted();
    }

    @Test
    void everyWriteCompletesWellOrNotWhenClosedMeanwhile() throws InterruptedException {
        get(map.follow(new Copy()));
        List<CompletionStage<@Nullable Void>> writes = new CopyOnWriteArrayList<>();
        Thread writer = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < MANY; i++) {
                writes.add(put("key", "value-" + i));
            }
        });
        until(() -> writes.size() > 100);
        map.close();
        writer.join();
        until(() ->
                writes.stream().allMatch(write -> write.toCompletableFuture().isDone()));
    }

    @Test
    void writesFailWhenClosed() {
        map.close();
        assertFails(put("a", "1"), RuntimeException.class);
        assertFails(map.remove("a"), RuntimeException.class);
    }

    @Test
    void followerHasSeenEverythingWhenItHasCaughtUp() {
        for (int i = 0; i < MANY; i++) {
            put("key-" + i, "value");
        }
        get(put("last", "value"));
        Copy copy = new Copy();
        map.follow(copy);
        get(map.caughtUp());
        assertThat(copy.entries).hasSize(MANY + 1);
        get(put("more", "value"));
        get(map.caughtUp());
        assertThat(copy.entries).hasSize(MANY + 2);
    }

    @Test
    void catchingUpCompletesWhenThereIsNothing() {
        get(map.follow(new Copy()));
        get(map.caughtUp());
    }

    @Test
    void everyCallCompletesWhenManyCatchUpAmongWrites() {
        get(map.follow(new Copy()));
        List<CompletionStage<@Nullable Void>> calls = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            put("key", "value-" + i);
            calls.add(map.caughtUp());
        }
        calls.forEach(Waiting::get);
    }

    @Test
    void catchingUpFailsWhenClosed() {
        get(map.follow(new Copy()));
        map.close();
        assertFails(map.caughtUp(), RuntimeException.class);
    }

    private CompletionStage<@Nullable Void> put(String key, String value) {
        return map.put(key, value.getBytes(StandardCharsets.UTF_8));
    }

    private void write(int writer) {
        for (int round = 0; round < 50; round++) {
            for (int key = 0; key < 50; key++) {
                get(put(writer + "/" + key, Integer.toString(round)));
            }
        }
    }

    /** Keeps a copy, and the changes. */
    private static final class Copy implements ReplicatedMap.Follower {
        private final List<String> changes = new CopyOnWriteArrayList<>();
        private final Map<String, String> entries = new ConcurrentSkipListMap<>();

        @Override
        public void onChange(String key, byte @Nullable [] value) {
            String text = value == null ? null : new String(value, StandardCharsets.UTF_8);
            changes.add(key + "=" + text);
            if (text == null) {
                entries.remove(key);
            } else {
                entries.put(key, text);
            }
        }
    }

    /** Notices when the number under a key goes back. */
    private static final class OrderedCopy implements ReplicatedMap.Follower {
        private final Map<String, Integer> latest = new ConcurrentSkipListMap<>();
        private final List<String> wentBack = new CopyOnWriteArrayList<>();

        @Override
        public void onChange(String key, byte @Nullable [] value) {
            int number = value == null ? -1 : Integer.parseInt(new String(value, StandardCharsets.UTF_8));
            Integer before = latest.put(key, number);
            if (before != null && before > number) {
                wentBack.add(key + ": " + number + " after " + before);
            }
        }
    }
}
