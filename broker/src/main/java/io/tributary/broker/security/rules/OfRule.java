package io.tributary.broker.security.rules;

import io.tributary.broker.security.Decision;
import io.tributary.common.mqtt.QoS;

/**
 * The decisions that follow from one rule, made beforehand.
 *
 * @param allows whether the rule allows
 * @param maxQos the highest QoS
 * @param here where the rule is the first that matches
 * @param tooHigh where it is, and the QoS of the message is too high
 */
record OfRule(boolean allows, QoS maxQos, Decision here, Decision tooHigh) {
    private static final Decision NO_RULE = new Decision(false, "no rule allows it");

    /** Where no rule matches. */
    static final OfRule NONE = new OfRule(false, QoS.EXACTLY_ONCE, NO_RULE, NO_RULE);

    /** Where no rule matches, and the client may have rules of its own that are not known. */
    static final OfRule MAYBE = new OfRule(true, QoS.EXACTLY_ONCE, Decision.ALLOWED, Decision.ALLOWED);

    /** Those of the rule with that number in its set. */
    static OfRule of(RuleSet set, int number) {
        Rule rule = set.rules().get(number);
        String name = set.nameOf(number);
        Decision tooHigh =
                new Decision(false, name + ": max-qos " + rule.maxQos().code(), set.name());
        return new OfRule(rule.allows(), rule.maxQos(), new Decision(rule.allows(), name, set.name()), tooHigh);
    }

    Decision at(QoS qos) {
        return qos.compareTo(maxQos) > 0 ? tooHigh : here;
    }
}
