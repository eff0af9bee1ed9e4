package io.tributary.broker.security;

import java.util.function.BooleanSupplier;

/**
 * The client that waits for the answer of an {@link Authenticator}.
 *
 * @param address from where it comes, of IPv6 the network: what is scarce is shared out among these
 * @param isWaiting whether it is still there to hear the answer; any thread
 */
public record Asker(String address, BooleanSupplier isWaiting) {

    /** One of which nothing is known, and that waits for ever. */
    public static final Asker UNKNOWN = new Asker("", () -> true);
}
