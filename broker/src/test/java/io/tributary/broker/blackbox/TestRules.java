package io.tributary.broker.blackbox;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.tributary.broker.security.Authenticator.Accepted;
import io.tributary.broker.security.rules.Audience;
import io.tributary.broker.security.rules.Rule;
import io.tributary.broker.security.rules.Rule.Action;
import io.tributary.broker.security.rules.Rule.Effect;
import io.tributary.broker.security.rules.RuleSet;
import io.tributary.broker.security.rules.TopicPattern;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Rules for groups of clients. A client is in the group that its identifier begins with, {@code GROUP-...}, and an
 * application if that ends with {@code app}.
 */
final class TestRules {
    private TestRules() {}

    /** Rules for a group, under its name. */
    static RuleSet set(String group, Rule... rules) {
        return new RuleSet(
                group, new Audience(Set.of(group), Set.of(), List.of(), Set.of(), List.of()), List.of(rules));
    }

    static Rule allow(Action action, String topic) {
        return new Rule(Effect.ALLOW, action, TopicPattern.parse(topic));
    }

    static Rule deny(Action action, String topic) {
        return new Rule(Effect.DENY, action, TopicPattern.parse(topic));
    }

    static String groupOf(String clientId) {
        return clientId.substring(0, clientId.indexOf('-'));
    }

    /**
     * What an authenticator says of a client.
     *
     * @param ownRules in the form of {@link Principal#rules}
     */
    static Accepted accepted(String clientId, @Nullable String tenant, String ownRules) {
        Principal principal = new Principal("test", clientId, null, tenant, List.of(groupOf(clientId)), null, ownRules);
        return new Accepted(clientId.endsWith("app") ? ClientKind.APPLICATION : ClientKind.DEVICE, principal);
    }

    /** How many messages were dropped, whichever rule set said so. */
    static double dropped(MeterRegistry registry, String place, String reason) {
        return registry
                .get("tributary.messages.dropped")
                .tags("place", place, "reason", reason)
                .functionCounters()
                .stream()
                .mapToDouble(FunctionCounter::count)
                .sum();
    }
}
