package io.tributary.cluster.kafka.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cluster.kafka.KafkaAccessException;
import io.tributary.persistence.limit.ByteBudget;
import io.tributary.persistence.replicated.Visibility;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a write waits for of which Kafka does not know the offset, and those around it. */
class MapWritesTest {
    private static final long UNKNOWN = -1;

    private final CompletableFuture<Long> end = new CompletableFuture<>();
    private final List<Long> asked = new ArrayList<>();
    private final MapWrites writes =
            new MapWrites("map", new Everybody(), new ByteBudget(1000), new ByteBudget(1000), () -> end);

    @Test
    void writeOfUnknownOffsetWaitsUntilTheEndOfTheMapIsSeenEverywhere() {
        writes.following();
        MapWrites.Write write = begin();
        write.onAppended(UNKNOWN, null);
        writes.reached(7);
        assertThat(write.done().toCompletableFuture()).isNotDone();
        end.complete(8L);
        assertThat(asked).isEmpty();
        writes.reached(8);
        assertThat(asked).containsExactly(8L);
        assertThat(write.done().toCompletableFuture()).isCompleted();
    }

    @Test
    void noWriteCountsAsSeenWhenOneOfUnknownOffsetIsLookedForMeanwhile() {
        writes.following();
        MapWrites.Write unknown = begin();
        MapWrites.Write next = begin();
        unknown.onAppended(UNKNOWN, null);
        next.onAppended(9, null);
        end.complete(9L);
        writes.reached(10);
        assertThat(asked).containsExactly(10L);
        assertThat(unknown.done().toCompletableFuture()).isCompleted();
        assertThat(next.done().toCompletableFuture()).isCompleted();
    }

    /** It waits until the node begins anew, and those that come in its place do not. */
    @Test
    void writeThatKafkaHasLostHoldsUpNoLaterOnes() {
        writes.following();
        MapWrites.Write lost = begin();
        MapWrites.Write first = begin();
        MapWrites.Write second = begin();
        lost.onAppended(99, null);
        writes.reached(50);
        first.onAppended(50, null);
        second.onAppended(51, null);
        writes.reached(52);
        assertThat(first.done().toCompletableFuture()).isCompleted();
        assertThat(second.done().toCompletableFuture()).isCompleted();
        assertThat(lost.done().toCompletableFuture()).isNotDone();
        writes.failAll(new KafkaAccessException("the map lost its end"));
        assertThat(lost.done().toCompletableFuture()).isCompletedExceptionally();
    }

    private MapWrites.Write begin() {
        return Objects.requireNonNull(writes.begin(10));
    }

    /** All nodes have seen what they are asked about. */
    private final class Everybody implements Visibility {
        @Override
        public CompletionStage<@Nullable Void> everywhere(String map, long position) {
            asked.add(position);
            return CompletableFuture.completedStage(null);
        }

        @Override
        public void reached(String map, long position) {}
    }
}
