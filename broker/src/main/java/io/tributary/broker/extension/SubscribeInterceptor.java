package io.tributary.broker.extension;

import io.tributary.broker.security.ClientInfo;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Subscription;
import java.util.List;
import java.util.Objects;

/**
 * Sees every subscription that a client asks for, after it was authorised. Thread-safe: event loops call it at the same
 * time.
 */
@FunctionalInterface
public interface SubscribeInterceptor {

    /**
     * Decides on a subscription: to make it, to change it or to refuse it. Called on the client's event loop: it must
     * not block. When it throws, or makes the filter invalid, the subscription is refused with 0x83.
     *
     * <p>Rules look at a filter that it has changed as at any: what they do not allow brings nothing, and is removed.
     */
    Decision onSubscribe(ClientInfo client, Subscription subscription);

    /**
     * Says which filter an UNSUBSCRIBE is about: one that changes filters of subscriptions is to change them here
     * alike, or their clients cannot remove them. Called on the client's event loop. When it throws, or makes the
     * filter invalid, the filter counts as the client wrote it.
     *
     * @param filter the filter as the client wrote it, {@code $share/...} included
     */
    default String onUnsubscribe(ClientInfo client, String filter) {
        return filter;
    }

    /** Asks one after the other, each about what the one before made of the subscription; the first refusal holds. */
    static SubscribeInterceptor chain(List<SubscribeInterceptor> interceptors) {
        List<SubscribeInterceptor> chained = List.copyOf(interceptors);
        return new SubscribeInterceptor() {
            @Override
            public Decision onSubscribe(ClientInfo client, Subscription asked) {
                Decision decision = new Proceed(asked);
                for (SubscribeInterceptor interceptor : chained) {
                    if (!(decision instanceof Proceed(Subscription subscription))) {
                        return decision;
                    }
                    decision = interceptor.onSubscribe(client, subscription);
                }
                return decision;
            }

            @Override
            public String onUnsubscribe(ClientInfo client, String asked) {
                String filter = asked;
                for (SubscribeInterceptor interceptor : chained) {
                    filter = interceptor.onUnsubscribe(client, filter);
                }
                return filter;
            }
        };
    }

    /** What becomes of a subscription. */
    sealed interface Decision {}

    /** The subscription is made, as asked or changed (for instance with a lower QoS). */
    record Proceed(Subscription subscription) implements Decision {
        public Proceed {
            Objects.requireNonNull(subscription, "subscription");
        }
    }

    /**
     * The subscription is refused.
     *
     * @param reason what a SUBACK may say; one that is no error counts as 0x83
     */
    record Refuse(ReasonCode reason) implements Decision {
        public Refuse {
            Objects.requireNonNull(reason, "reason");
        }
    }
}
