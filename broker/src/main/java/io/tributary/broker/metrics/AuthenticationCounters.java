package io.tributary.broker.metrics;

import io.tributary.broker.security.AuthenticationRecorder;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts what authenticators say; a counter is registered when it is first needed. */
final class AuthenticationCounters implements AuthenticationRecorder {
    private final Meters meters;
    private final Map<Said, LongAdder> counters = new ConcurrentHashMap<>();

    AuthenticationCounters(Meters meters) {
        this.meters = meters;
    }

    private record Said(String authenticator, Outcome outcome) {}

    @Override
    public void authenticated(String authenticator, Outcome outcome) {
        counters.computeIfAbsent(
                        new Said(authenticator, outcome),
                        said -> meters.counter(
                                BrokerMeters.AUTHENTICATIONS, said.authenticator(), Meters.tagValue(said.outcome())))
                .increment();
    }
}
