package io.tributary.security.jwt;

import com.nimbusds.jose.JWSHeader;
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
}
