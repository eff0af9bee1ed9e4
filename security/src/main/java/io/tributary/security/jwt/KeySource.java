package io.tributary.security.jwt;

import com.nimbusds.jose.JWSHeader;
import io.tributary.security.watch.WatchedFile;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Where the keys come from. */
@FunctionalInterface
interface KeySource {

    /**
     * The keys among which that of a token is, if it is known at all. Does not block.
     *
     * @return fails when there are no keys, for now
     */
    CompletionStage<Keys> keysFor(JWSHeader header);

    /** Frees what it holds. */
    default void close() {}

    /** Keys that stay as they are. */
    static KeySource of(Keys keys) {
        return _ -> CompletableFuture.completedFuture(keys);
    }

    /** The newest keys of a file. */
    static KeySource of(WatchedFile<Keys> file) {
        return new KeySource() {
            @Override
            public CompletionStage<Keys> keysFor(JWSHeader header) {
                return CompletableFuture.completedFuture(file.get());
            }

            @Override
            public void close() {
                file.close();
            }
        };
    }
}
