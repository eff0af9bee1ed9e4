package io.tributary.broker.security.rules;

import io.tributary.common.mqtt.QoS;

/**
 * One rule. It matches what a client wants to do when action and topic fit and, with {@code retain}, the RETAIN flag of
 * the message. Of the rules that match the first decides; nothing that no rule matches is allowed.
 *
 * @param effect whether it allows or denies
 * @param action what it is about
 * @param topic the topics; a {@code +} or {@code #} at the beginning, or a placeholder, matches none that begins with
 *     {@code $}
 * @param maxQos how high the QoS may be where the rule allows: a message with a higher one is refused, a subscription
 *     gets this one. {@link QoS#EXACTLY_ONCE} for no limit, which a rule that denies must have
 * @param retain the messages by their RETAIN flag; {@link Retain#ANY} unless the rule is about publishing alone
 */
public record Rule(Effect effect, Action action, TopicPattern topic, QoS maxQos, Retain retain) {

    /** What follows from a rule that matches. */
    public enum Effect {
        /** The client may. */
        ALLOW,
        /** The client may not. */
        DENY
    }

    /** What a rule is about. */
    public enum Action {
        /** To publish, wills included. */
        PUBLISH,
        /** To subscribe, and to receive. */
        SUBSCRIBE,
        /** Both. */
        ALL
    }

    /** Messages by their RETAIN flag. */
    public enum Retain {
        /** All. */
        ANY,
        /** Those that are to be retained. */
        YES,
        /** Those that are not. */
        NO
    }

    /** Refuses what would not mean what it seems to. */
    public Rule {
        if (effect == Effect.DENY && maxQos != QoS.EXACTLY_ONCE) {
            throw new IllegalArgumentException("max-qos has no meaning in a rule that denies; only allow has a limit");
        }
        if (action != Action.PUBLISH && retain != Retain.ANY) {
            throw new IllegalArgumentException("retain has no meaning for subscriptions; only publish has it");
        }
    }

    /** A rule without limits. */
    public Rule(Effect effect, Action action, TopicPattern topic) {
        this(effect, action, topic, QoS.EXACTLY_ONCE, Retain.ANY);
    }

    boolean allows() {
        return effect == Effect.ALLOW;
    }
}
