package io.tributary.broker;

import io.tributary.broker.extension.ClientListener;
import io.tributary.broker.extension.PublishInterceptor;
import io.tributary.broker.extension.SubscribeInterceptor;
import io.tributary.broker.security.Authenticator;
import io.tributary.broker.security.AuthenticatorChain;
import io.tributary.broker.security.Authorizer;
import io.tributary.broker.security.EnhancedAuthenticator;
import io.tributary.broker.security.TenantAuthorizer;
import io.tributary.broker.security.rules.Rules;
import io.tributary.broker.security.store.SecurityStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The hooks of the application that embeds the broker. */
public final class BrokerExtensions {
    /** Everybody may connect and do everything; nothing listens in. */
    public static final BrokerExtensions NONE = builder().build();

    private final Authenticator authenticator;
    private final List<EnhancedAuthenticator> enhanced;
    private final Authorizer authorizer;
    private final List<PublishInterceptor> publish;
    private final List<SubscribeInterceptor> subscribe;
    private final List<ClientListener> listeners;
    private final @Nullable SecurityStore security;

    private BrokerExtensions(Builder from) {
        authenticator = from.authenticator;
        enhanced = List.copyOf(from.enhanced);
        authorizer = TenantAuthorizer.of(from.authorizer);
        publish = List.copyOf(from.publish);
        subscribe = List.copyOf(from.subscribe);
        listeners = List.copyOf(from.listeners);
        security = from.security;
    }

    /** No hooks, to be added. */
    public static Builder builder() {
        return new Builder();
    }

    /** Decides who may connect. */
    public Authenticator authenticator() {
        return authenticator;
    }

    /** The methods of MQTT 5 enhanced authentication. */
    public List<EnhancedAuthenticator> enhanced() {
        return enhanced;
    }

    /** Decides who may publish, subscribe and receive what. */
    public Authorizer authorizer() {
        return authorizer;
    }

    /** See what clients publish, in this order. */
    public List<PublishInterceptor> publish() {
        return publish;
    }

    /** See what clients subscribe to, in this order. */
    public List<SubscribeInterceptor> subscribe() {
        return subscribe;
    }

    /** Are told when clients come and go. */
    public List<ClientListener> listeners() {
        return listeners;
    }

    /** The store of security objects that the broker is to open; null for one of its own. */
    public @Nullable SecurityStore security() {
        return security;
    }

    /** The same, but with this store. */
    public BrokerExtensions with(SecurityStore store) {
        Builder to = copy();
        to.security = store;
        return to.build();
    }

    /** The same, but the chain decides who may connect, at all listeners. */
    public BrokerExtensions with(AuthenticatorChain chain) {
        Builder to = copy();
        to.authenticator = chain;
        to.enhanced.clear();
        to.enhanced.addAll(chain.methods());
        return to.build();
    }

    /** The same, but these rules decide what clients may do. */
    public BrokerExtensions with(Rules rules) {
        return copy().authorizer(rules).build();
    }

    private Builder copy() {
        Builder to = new Builder();
        to.authenticator = authenticator;
        to.enhanced.addAll(enhanced);
        to.authorizer = authorizer;
        to.publish.addAll(publish);
        to.subscribe.addAll(subscribe);
        to.listeners.addAll(listeners);
        to.security = security;
        return to;
    }

    /** Collects hooks. Not thread-safe. */
    public static final class Builder {
        private final List<EnhancedAuthenticator> enhanced = new ArrayList<>();
        private final List<PublishInterceptor> publish = new ArrayList<>();
        private final List<SubscribeInterceptor> subscribe = new ArrayList<>();
        private final List<ClientListener> listeners = new ArrayList<>();
        private Authenticator authenticator =
                (client, password) -> CompletableFuture.completedFuture(new Authenticator.Accepted());
        private Authorizer authorizer = Authorizer.allowAll();
        private @Nullable SecurityStore security;

        private Builder() {}

        /** Decides who may connect; without one, everybody. */
        public Builder authenticator(Authenticator value) {
            authenticator = value;
            return this;
        }

        /** Adds a method of MQTT 5 enhanced authentication. */
        public Builder enhancedAuthenticator(EnhancedAuthenticator added) {
            enhanced.add(added);
            return this;
        }

        /** Decides who may publish, subscribe and receive what; without one, {@link Authorizer#allowAll}. */
        public Builder authorizer(Authorizer value) {
            authorizer = value;
            return this;
        }

        /** Adds one that sees what clients publish, after those before it. */
        public Builder publishInterceptor(PublishInterceptor added) {
            publish.add(added);
            return this;
        }

        /** Adds one that sees what clients subscribe to, after those before it. */
        public Builder subscribeInterceptor(SubscribeInterceptor added) {
            subscribe.add(added);
            return this;
        }

        /** Adds one that is told when clients come and go. */
        public Builder clientListener(ClientListener added) {
            listeners.add(added);
            return this;
        }

        /** The store of users, device tokens, rule sets, bans and tenants, for authenticators to look into. */
        public Builder security(SecurityStore value) {
            security = value;
            return this;
        }

        /** The whole. */
        public BrokerExtensions build() {
            return new BrokerExtensions(this);
        }
    }
}
