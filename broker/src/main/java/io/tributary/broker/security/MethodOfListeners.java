package io.tributary.broker.security;

import io.tributary.broker.security.AuthenticationRecorder.Outcome;
import io.tributary.common.mqtt.ReasonCode;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** One method of enhanced authentication, which each listener may have from another authenticator, or not at all. */
final class MethodOfListeners implements EnhancedAuthenticator {
    private final String method;
    private final Map<String, Offer> offers;
    private final AuthenticationRecorder recorder;
    private final RefusalLog log;

    /** Takes who offers it, by the name of the listener. */
    MethodOfListeners(String method, Map<String, Offer> offers, AuthenticationRecorder recorder, RefusalLog log) {
        this.method = method;
        this.offers = Map.copyOf(offers);
        this.recorder = recorder;
        this.log = log;
    }

    /** An authenticator, by its name, and how it does the method. */
    record Offer(String name, EnhancedAuthenticator authenticator) {}

    @Override
    public String method() {
        return method;
    }

    @Override
    public Exchange begin(ClientInfo client) {
        return begin(client, Asker.UNKNOWN);
    }

    @Override
    public Exchange begin(ClientInfo client, Asker asker) {
        Offer offer = offers.get(Objects.requireNonNull(client.listener()));
        if (offer == null) {
            return _ -> EnhancedAuthenticator.answer(
                    new Failure(ReasonCode.BAD_AUTHENTICATION_METHOD, "authentication method is not supported"));
        }
        Exchange exchange = offer.authenticator().begin(client, asker);
        return data -> next(offer.name(), client, exchange, data);
    }

    private CompletionStage<Step> next(String name, ClientInfo client, Exchange exchange, byte @Nullable [] data) {
        CompletionStage<Step> stage;
        try {
            stage = exchange.next(data);
        } catch (RuntimeException | Error failure) { // an Error, too, may come of what a client sends
            stage = CompletableFuture.failedStage(failure);
        }
        return stage.handle((step, failure) -> told(name, client, failure == null ? step : failed(name, failure)));
    }

    private Step failed(String name, Throwable failure) {
        log.failed(name, failure);
        return new Failure(ReasonCode.SERVER_UNAVAILABLE, "the authenticator failed");
    }

    private Step told(String name, ClientInfo client, Step step) {
        return switch (step) {
            case Continue more -> more;
            case Success yes -> {
                recorder.authenticated(name, Outcome.ACCEPTED);
                yield yes;
            }
            case Failure no -> {
                recorder.authenticated(name, AuthenticatorChain.outcome(no.reason()));
                log.refused(client, name, String.valueOf(no.message()));
                yield new Failure(no.reason(), null, no.user());
            }
        };
    }
}
