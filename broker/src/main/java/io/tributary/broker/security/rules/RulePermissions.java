package io.tributary.broker.security.rules;

import io.tributary.broker.security.Decision;
import io.tributary.broker.security.Permissions;
import io.tributary.broker.security.SubscriptionDecision;
import io.tributary.broker.security.SubscriptionDecision.Extent;
import io.tributary.broker.security.rules.Subject.Known;
import io.tributary.common.event.Principal;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.topic.TopicFilter;
import io.tributary.common.topic.TopicName;
import org.jspecify.annotations.Nullable;

/**
 * What one client may do, by the rules that hold at the moment of the question. Any thread may ask; no answer blocks,
 * and those about messages take no memory, but for the first one after the rules were replaced.
 *
 * <p>Example: after {@code deny subscribe fleet/+/secrets/#} and {@code allow subscribe fleet/#}, in this order, a
 * subscription to {@code fleet/#} is {@link Extent#CUT}, one to {@code fleet/7/state} is {@link Extent#WHOLE}, and one
 * to {@code fleet/7/secrets/key} or to {@code #} is {@link Extent#REFUSED}.
 */
final class RulePermissions implements Permissions {
    private final Rules rules;
    private final Subject subject;

    /** Whose rules of its own count; null for those of the subject. */
    private final @Nullable Principal principal;

    /** May be seen late by another thread, which then makes another one: the object is immutable. */
    private BoundRules bound;

    RulePermissions(Rules rules, Subject subject, @Nullable Principal principal) {
        this.rules = rules;
        this.subject = subject;
        this.principal = principal;
        bound = bind(rules.book());
    }

    private BoundRules bind(RuleBook book) { // which was there before rules of its own are asked for
        return new BoundRules(book, subject, book.takesOwn() ? rules.own(subject, principal) : null);
    }

    @Override
    public Decision mayPublish(String topic, QoS qos, boolean retain) {
        BoundRules now = bound();
        return isWithoutRules(now)
                ? withoutRules(topic)
                : publishing(now, topic, retain).at(qos);
    }

    @Override
    public Decision mayReceive(String topic) {
        BoundRules now = bound();
        return isWithoutRules(now) ? Decision.ALLOWED : receiving(now, topic).here();
    }

    /**
     * Whether the client may subscribe: it may when of the rules that match all that the filter matches, the first one
     * allows.
     *
     * @param topicFilter a valid one, with or without {@code $share/NAME/}
     * @param qos the QoS that the client asks for
     */
    @Override
    public SubscriptionDecision maySubscribe(String topicFilter, QoS qos) {
        BoundRules now = bound();
        if (isWithoutRules(now)) {
            return new SubscriptionDecision(Extent.WHOLE, qos, Decision.ALLOWED.reason());
        }
        String filter = TopicFilter.isShared(topicFilter)
                ? TopicFilter.parse(topicFilter).filter()
                : topicFilter;
        int rule = now.covering(filter);
        BoundRules own = now.own();
        if (rule != RuleTrie.NONE || own == null) {
            boolean isCut = now.isCut(filter, rule) || (rule == RuleTrie.NONE && !isOwnKnown());
            return decision(decision(now, rule), qos, isCut);
        }
        rule = own.covering(filter);
        return decision(own.decision(rule), qos, now.isCut(filter, RuleTrie.NONE) || own.isCut(filter, rule));
    }

    /** Where not all is known of the client, the rules give the benefit of the doubt: only what is sure is taken. */
    @Override
    public SubscriptionDecision standing(String topicFilter, QoS qos) {
        BoundRules now = bound();
        if (!now.book().isWhole()) {
            return Permissions.super.standing(topicFilter, qos);
        }
        SubscriptionDecision decision = maySubscribe(topicFilter, qos);
        return !decision.granted() || now.isSureAbout(subject)
                ? decision
                : new SubscriptionDecision(decision.extent(), qos, decision.reason());
    }

    @Override
    public @Nullable Permissions reading(String topicFilter) {
        return switch (maySubscribe(topicFilter, QoS.AT_MOST_ONCE).extent()) {
            case WHOLE -> null;
            case CUT -> this;
            case REFUSED -> Permissions.nothing();
        };
    }

    @Override
    public Permissions remembering() {
        return new RememberingPermissions(this);
    }

    private static SubscriptionDecision decision(OfRule rule, QoS qos, boolean cut) {
        Extent extent = !rule.allows() ? Extent.REFUSED : cut ? Extent.CUT : Extent.WHOLE;
        return new SubscriptionDecision(
                extent, qos.min(rule.maxQos()), rule.here().reason());
    }

    /** The rules that hold for the client now. */
    BoundRules bound() {
        BoundRules known = bound;
        RuleBook book = rules.book();
        if (known.book() != book) {
            known = bind(book);
            bound = known;
        }
        return known;
    }

    /** Whether there are no rules at all, be they for this client or not. */
    boolean isWithoutRules(BoundRules now) {
        return now.own() == null && now.book().isEmpty();
    }

    static Decision withoutRules(String topic) {
        return TopicName.isReserved(topic) ? Decision.RESERVED : Decision.ALLOWED;
    }

    /** What the first rule about publishing to a topic says. */
    OfRule publishing(BoundRules now, String topic, boolean retain) {
        int rule = now.publishing(topic, retain);
        BoundRules own = now.own();
        return rule == RuleTrie.NONE && own != null ? own.decision(own.publishing(topic, retain)) : now.decision(rule);
    }

    /** What the first rule about receiving what is published on a topic says. */
    OfRule receiving(BoundRules now, String topic) {
        int rule = now.receiving(topic);
        BoundRules own = now.own();
        return rule == RuleTrie.NONE && own != null ? own.decision(own.receiving(topic)) : decision(now, rule);
    }

    private OfRule decision(BoundRules now, int rule) {
        return rule == RuleTrie.NONE && !isOwnKnown() ? OfRule.MAYBE : now.decision(rule);
    }

    /** Whether rules of its own would be known here if it has any. */
    private boolean isOwnKnown() {
        return subject.known() != Known.CLIENT_ID;
    }
}
