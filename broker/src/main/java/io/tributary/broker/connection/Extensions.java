package io.tributary.broker.connection;

import io.tributary.broker.extension.ClientListener;
import io.tributary.broker.extension.SubscribeInterceptor;
import java.util.List;

/**
 * The hooks of the embedding application in clients' connections.
 *
 * @param subscriptions sees each subscription before it is made
 * @param listeners told when clients come and go
 */
public record Extensions(SubscribeInterceptor subscriptions, List<ClientListener> listeners) {

    /** No extension at all. */
    public static final Extensions NONE =
            new Extensions((client, subscription) -> new SubscribeInterceptor.Proceed(subscription), List.of());

    /** Copies the list. */
    public Extensions {
        listeners = List.copyOf(listeners);
    }
}
