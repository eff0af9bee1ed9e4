package io.tributary.broker.security.rules;

import io.tributary.common.mqtt.QoS;

/**
 * Whether a client may publish or receive a message.
 *
 * @param allowed whether it may
 * @param reason the rule that says so, such as {@code devices.rules[2]}, for logs and meters; or why there is none
 */
public record Decision(boolean allowed, String reason) {
    static final Decision NO_RULE = new Decision(false, "no rule allows it");
    static final Decision NO_RULES_AT_ALL = new Decision(true, "there are no rules");
    static final Decision RESERVED = new Decision(false, "topics that begin with $ are the broker's own");

    /**
     * Decisions that follow from one rule, made beforehand.
     *
     * @param allows whether the rule allows
     * @param maxQos the highest QoS
     * @param here where the rule is the first that matches
     * @param tooHigh where it is, and the QoS of the message is too high
     */
    record OfRule(boolean allows, QoS maxQos, Decision here, Decision tooHigh) {
        static final OfRule NONE = new OfRule(false, QoS.EXACTLY_ONCE, NO_RULE, NO_RULE);

        static OfRule of(Rule rule, String name) {
            Decision tooHigh =
                    new Decision(false, name + ": max-qos " + rule.maxQos().code());
            return new OfRule(rule.allows(), rule.maxQos(), new Decision(rule.allows(), name), tooHigh);
        }

        Decision at(QoS qos) {
            return qos.compareTo(maxQos) > 0 ? tooHigh : here;
        }
    }
}
