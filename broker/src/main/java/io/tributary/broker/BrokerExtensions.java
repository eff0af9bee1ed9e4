package io.tributary.broker;

import io.tributary.broker.extension.ClientListener;
import io.tributary.broker.extension.PublishInterceptor;
import io.tributary.broker.extension.SubscribeInterceptor;
import io.tributary.broker.security.Authenticator;
import io.tributary.broker.security.AuthenticatorChain;
import io.tributary.broker.security.Authorizer;
import io.tributary.broker.security.EnhancedAuthenticator;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The hooks of the application that embeds the broker.
 *
 * @param authenticator decides who may connect
 * @param enhanced the methods of MQTT 5 enhanced authentication
 * @param authorizer decides who may publish, subscribe and receive what
 * @param publish see what clients publish, in this order
 * @param subscribe see what clients subscribe to, in this order
 * @param listeners are told when clients come and go
 */
public record BrokerExtensions(
        Authenticator authenticator,
        List<EnhancedAuthenticator> enhanced,
        Authorizer authorizer,
        List<PublishInterceptor> publish,
        List<SubscribeInterceptor> subscribe,
        List<ClientListener> listeners) {

    /** Everybody may connect and do everything; nothing listens in. */
    public static final BrokerExtensions NONE = new BrokerExtensions(
            (client, password) -> CompletableFuture.completedFuture(new Authenticator.Accepted()),
            List.of(),
            Authorizer.allowAll(),
            List.of(),
            List.of(),
            List.of());

    public BrokerExtensions {
        enhanced = List.copyOf(enhanced);
        publish = List.copyOf(publish);
        subscribe = List.copyOf(subscribe);
        listeners = List.copyOf(listeners);
    }

    /** The same, but the chain decides who may connect, at all listeners. */
    public BrokerExtensions with(AuthenticatorChain chain) {
        return new BrokerExtensions(chain, chain.methods(), authorizer, publish, subscribe, listeners);
    }
}
