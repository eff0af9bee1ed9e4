package io.tributary.broker;

import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A persistent session, as the node knows it that was asked.
 *
 * @param clientId the client identifier as the client knows it
 * @param tenant whose client it is; null for none
 * @param kind where its messages wait
 * @param principal whose session it is; null where that is not known
 * @param subscriptions how many it has
 * @param connected whether its client is connected to any node; null where the node cannot tell: it neither owns the
 *     session's shard nor has the connection itself
 * @param owned what the owner of its shard knows besides; null at another node, and where the shard does not answer
 */
public record PersistentSession(
        String clientId,
        @Nullable String tenant,
        ClientKind kind,
        @Nullable Principal principal,
        int subscriptions,
        @Nullable Boolean connected,
        @Nullable Owned owned) {

    /**
     * What the owner knows, as of what it has read from the log.
     *
     * @param node the name of the node that the client is connected to; null while it is away
     * @param awaySince since when it is away; null while it is connected
     * @param expirySeconds how long it lives without a connection; 4,294,967,295 for ever
     * @param queuedMessages how many messages wait for a device, those that it has not acknowledged included; always 0
     *     of an application, whose messages are in its topic
     * @param queuedBytes the size of these
     */
    public record Owned(
            @Nullable String node,
            @Nullable Instant awaySince,
            long expirySeconds,
            long queuedMessages,
            long queuedBytes) {}
}
