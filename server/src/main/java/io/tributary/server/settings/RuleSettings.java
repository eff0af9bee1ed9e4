package io.tributary.server.settings;

import io.tributary.broker.security.rules.Rule;
import io.tributary.broker.security.rules.Rule.Effect;
import io.tributary.broker.security.rules.Rule.Retain;
import io.tributary.broker.security.rules.TopicPattern;
import io.tributary.common.mqtt.QoS;
import io.tributary.server.settings.check.Allowed;
import io.tributary.server.settings.check.SettingException;
import io.tributary.server.settings.check.Units;
import io.tributary.server.settings.check.Verbatim;
import org.jspecify.annotations.Nullable;

/**
 * One rule. The first one that matches decides; what none matches is not allowed.
 *
 * @param allow What the client may do; each rule has either this or {@code deny}.
 * @param deny What the client may not do.
 * @param topic A topic filter; must be given. A whole level may be a placeholder: <code>${clientid}</code>,
 *     <code>${username}</code>, <code>${cn}</code>, <code>${tenant}</code>, <code>${group}</code>,
 *     <code>${claim.NAME}</code>. A {@code +} or {@code #} at the beginning matches no topic that begins with
 *     {@code $}.
 * @param maxQos The highest QoS, with {@code allow}: a message with a higher one is refused, a subscription gets this
 *     one.
 * @param retain Whether the rule is about messages that are to be retained, or about those that are not, with
 *     {@code publish}. Without a value, about both.
 */
public record RuleSettings(
        @Nullable Action allow,
        @Nullable Action deny,
        @Verbatim @Nullable String topic,
        @Nullable @Allowed(min = "0", max = "2") Integer maxQos,
        @Nullable Boolean retain) {

    /** What a rule is about. */
    public enum Action {
        /** To publish, wills included. */
        PUBLISH(Rule.Action.PUBLISH),
        /** To subscribe, and to receive. */
        SUBSCRIBE(Rule.Action.SUBSCRIBE),
        /** Both. */
        ALL(Rule.Action.ALL);

        private final Rule.Action ofCore;

        Action(Rule.Action ofCore) {
            this.ofCore = ofCore;
        }
    }

    /**
     * The rule.
     *
     * @throws SettingException when it is not well made
     */
    Rule rule(String group) {
        Action action = allow == null ? deny : allow;
        if (action == null || (allow != null && deny != null)) {
            throw new SettingException(group, "must have either allow or deny, one of " + Units.choices(Action.class));
        }
        if (topic == null) {
            throw new SettingException(group + ".topic", "is missing; it must be a topic filter, such as devices/#");
        }
        String written = topic;
        TopicPattern pattern = SettingException.naming(group + ".topic", () -> TopicPattern.parse(written));
        if (maxQos != null && deny != null) {
            throw new SettingException(
                    group + ".max-qos", "'" + maxQos + "' has no meaning with deny; only allow has it");
        }
        if (retain != null && action != Action.PUBLISH) {
            throw new SettingException(group + ".retain", "'" + retain + "' has no meaning but with publish");
        }
        return new Rule(
                allow == null ? Effect.DENY : Effect.ALLOW,
                action.ofCore,
                pattern,
                maxQos == null ? QoS.EXACTLY_ONCE : QoS.of(maxQos),
                retain == null ? Retain.ANY : retain ? Retain.YES : Retain.NO);
    }
}
