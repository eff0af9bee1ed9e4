package io.tributary.broker.security;

import io.tributary.common.event.ClientKind;
import io.tributary.common.mqtt.UserProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which clients are applications: rules in an order, of which the first that a client fits decides. A client that fits
 * none is a device.
 *
 * @param rules the rules in their order
 */
public record ClientRules(List<Rule> rules) {

    /** No rules: all clients are devices. */
    public static final ClientRules NONE = new ClientRules(List.of());

    /** Copies the list. */
    public ClientRules {
        rules = List.copyOf(rules);
    }

    /**
     * The kind of a client, by the first rule that fits.
     *
     * @param client the client as it describes itself: one that leaves its identifier to the broker has an empty one
     */
    public ClientKind kindOf(ClientInfo client) {
        for (Rule rule : rules) {
            if (rule.fits(client)) {
                return rule.kind();
            }
        }
        return ClientKind.DEVICE;
    }

    /**
     * One rule: clients that fulfil all its conditions are of its kind.
     *
     * @param conditions all of them must hold; at least one
     * @param kind what the clients are then
     */
    public record Rule(List<Condition> conditions, ClientKind kind) {

        /** Copies the list, and refuses an empty one. */
        public Rule {
            conditions = List.copyOf(conditions);
            if (conditions.isEmpty()) {
                throw new IllegalArgumentException("a rule needs a condition");
            }
        }

        boolean fits(ClientInfo client) {
            return conditions.stream().allMatch(condition -> condition.holds(client));
        }
    }

    /** A condition on a client. */
    public sealed interface Condition {

        /** Whether it is so. */
        boolean holds(ClientInfo client);
    }

    /** The client identifier matches. */
    public record ClientId(TextPattern pattern) implements Condition {
        @Override
        public boolean holds(ClientInfo client) {
            return pattern.matches(client.clientId());
        }
    }

    /** There is a user name, and it matches. */
    public record UserName(TextPattern pattern) implements Condition {
        @Override
        public boolean holds(ClientInfo client) {
            return isMatch(pattern, client.userName());
        }
    }

    /** There is a TLS client certificate, and its subject, as RFC 2253 writes it, matches. */
    public record CertificateSubject(TextPattern pattern) implements Condition {
        @Override
        public boolean holds(ClientInfo client) {
            return isMatch(pattern, client.certificateSubject());
        }
    }

    /** The client came through the listener with this name. */
    public record Listener(String name) implements Condition {
        @Override
        public boolean holds(ClientInfo client) {
            return name.equals(client.listener());
        }
    }

    /** One of the user properties in CONNECT has this name and value. */
    public record HasUserProperty(UserProperty property) implements Condition {
        @Override
        public boolean holds(ClientInfo client) {
            return client.userProperties().contains(property);
        }
    }

    private static boolean isMatch(TextPattern pattern, @Nullable String text) {
        return text != null && pattern.matches(text);
    }
}
