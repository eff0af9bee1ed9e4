package io.tributary.broker.security.store;

import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The way to the node that owns shard 0, and so writes the store. Any thread; never blocks. */
public interface OwnerLink {

    /** Where there are no other nodes. */
    OwnerLink NONE = new OwnerLink() {
        @Override
        public @Nullable CompletionStage<byte[]> ask(byte[] question) {
            return null;
        }

        @Override
        public void answerWith(Function<byte[], CompletionStage<byte[]>> owner) {}
    };

    /**
     * Asks it.
     *
     * @return fails when the answer is lost; null when nobody was asked, because nobody that can be reached is known to
     *     own the shard
     */
    @Nullable
    CompletionStage<byte[]> ask(byte[] question);

    /** Answers what other nodes ask this one. */
    void answerWith(Function<byte[], CompletionStage<byte[]>> owner);
}
