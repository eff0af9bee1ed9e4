package io.tributary.broker.shard;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tributary.persistence.replicated.ReplicatedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A map whose writes come back at once, and which keeps nothing. */
final class EchoMap implements ReplicatedMap {
    private @Nullable Follower follower;

    @Override
    public CompletionStage<@Nullable Void> follow(Follower newFollower) {
        follower = newFollower;
        return caughtUp();
    }

    @Override
    public CompletionStage<@Nullable Void> caughtUp() {
        return CompletableFuture.completedStage(null);
    }

    @Override
    public CompletionStage<@Nullable Void> put(String key, byte[] value) {
        return changed(key, value);
    }

    @Override
    public CompletionStage<@Nullable Void> remove(String key) {
        return changed(key, null);
    }

    private CompletionStage<@Nullable Void> changed(String key, byte @Nullable [] value) {
        if (follower != null) {
            // As bytes from a topic: no text of the writer's is shared with what is kept.
            follower.onChange(new String(key.getBytes(UTF_8), UTF_8), value);
        }
        return caughtUp();
    }

    @Override
    public void close() {}
}
