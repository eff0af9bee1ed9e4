package io.tributary.server.settings;

import io.tributary.broker.security.ClientRules.CertificateSubject;
import io.tributary.broker.security.ClientRules.ClientId;
import io.tributary.broker.security.ClientRules.Condition;
import io.tributary.broker.security.ClientRules.HasUserProperty;
import io.tributary.broker.security.ClientRules.Listener;
import io.tributary.broker.security.ClientRules.Rule;
import io.tributary.broker.security.ClientRules.UserName;
import io.tributary.broker.security.TextPattern;
import io.tributary.common.event.ClientKind;
import io.tributary.common.mqtt.UserProperty;
import io.tributary.server.settings.check.SettingException;
import io.tributary.server.settings.check.Units;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One rule of which clients are applications, with at least one condition; all that it has must hold. The first rule is
 * {@code rules[0]}; the first that a client fits decides, and a client that fits none is a device. A pattern must match
 * the whole text: {@code *} stands for any characters, {@code ?} for one, and after {@code regex:} comes a regular
 * expression of RE2.
 *
 * @param clientId A pattern of client identifiers; one that the broker is to assign is empty here.
 * @param userName A pattern of user names; it does not hold for clients without one.
 * @param certificateSubject A pattern of the distinguished name in a client's TLS certificate, written as in RFC 2253
 *     ({@code CN=billing,O=Acme}); it does not hold for clients without one.
 * @param listener The name of the listener that the client comes through.
 * @param userProperty A user property in CONNECT, {@code name=value}; it does not hold for clients before MQTT 5.
 * @param kind What such clients are; must be given.
 * @param topic Where an application's messages wait for it: in a topic of its {@code own}, or in one that is
 *     {@code shared} with others, for those with little traffic. Without a value, {@code own}.
 */
public record ClientRuleSettings(
        @Nullable String clientId,
        @Nullable String userName,
        @Nullable String certificateSubject,
        @Nullable String listener,
        @Nullable String userProperty,
        @Nullable Kind kind,
        @Nullable Topic topic) {

    /** What a client is. */
    public enum Kind {
        /** One of many, with little traffic each. */
        DEVICE,
        /** One of few, which reads much. */
        APPLICATION
    }

    /** Where an application's messages wait. */
    public enum Topic {
        /** In a topic of its own. */
        OWN,
        /** In a topic for several applications. */
        SHARED
    }

    /**
     * The rule.
     *
     * @param listeners the names of all listeners
     * @throws SettingException when it is not well made
     */
    Rule rule(String group, Set<String> listeners) {
        List<Condition> conditions = new ArrayList<>();
        addPattern(conditions, group + ".client-id", clientId, ClientId::new);
        addPattern(conditions, group + ".user-name", userName, UserName::new);
        addPattern(conditions, group + ".certificate-subject", certificateSubject, CertificateSubject::new);
        if (listener != null) {
            conditions.add(new Listener(known(group + ".listener", listener, listeners)));
        }
        if (userProperty != null) {
            conditions.add(new HasUserProperty(property(group + ".user-property", userProperty)));
        }
        if (conditions.isEmpty()) {
            throw new SettingException(
                    group,
                    "has no condition; it must have one or more of client-id, user-name, certificate-subject, listener,"
                            + " user-property");
        }
        return new Rule(conditions, queueKind(group));
    }

    private static void addPattern(
            List<Condition> conditions,
            String name,
            @Nullable String text,
            Function<TextPattern, Condition> condition) {
        if (text != null) {
            conditions.add(condition.apply(SettingException.naming(name, () -> TextPattern.of(text))));
        }
    }

    private static String known(String name, String listener, Set<String> listeners) {
        if (!listeners.contains(listener)) {
            throw new SettingException(name, ListenerSettings.unknown(listener, listeners));
        }
        return listener;
    }

    private static UserProperty property(String name, String text) {
        int end = text.indexOf('=');
        if (end < 1) {
            throw new SettingException(name, "'" + text + "' is not a user property, written name=value");
        }
        return new UserProperty(text.substring(0, end), text.substring(end + 1));
    }

    private ClientKind queueKind(String group) {
        if (kind == null) {
            throw new SettingException(group + ".kind", "is missing; it must be one of " + Units.choices(Kind.class));
        }
        return switch (kind) {
            case DEVICE -> {
                if (topic != null) {
                    throw new SettingException(
                            group + ".topic",
                            "'" + Units.text(topic) + "' has no effect with kind=device; only applications have a"
                                    + " topic");
                }
                yield ClientKind.DEVICE;
            }
            case APPLICATION -> topic == Topic.SHARED ? ClientKind.SMALL_APPLICATION : ClientKind.APPLICATION;
        };
    }
}
