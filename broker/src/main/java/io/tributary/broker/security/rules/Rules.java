package io.tributary.broker.security.rules;

import io.tributary.broker.security.Authorizer;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.Permissions;
import io.tributary.common.mqtt.QoS;
import java.util.List;

/**
 * The rules that hold, and that may be replaced by others at any time. Thread-safe; nothing blocks but
 * {@link #replace}.
 *
 * <p>As long as there are no rule sets at all, everybody may do what {@link Authorizer#allowAll} says.
 */
public final class Rules implements Authorizer {
    private volatile RuleBook book;

    /** Creates them, as {@link #replace} does. */
    public Rules(List<RuleSet> sets) {
        book = new RuleBook(1, sets, true);
    }

    /**
     * Replaces all rules. Whoever has {@link Permissions} is asked by the new ones from now on; subscriptions that are
     * there are looked at again by the broker, which sees the new {@link #version}.
     *
     * @param sets the rule sets in their order: a rule of an earlier set comes before those of later ones
     */
    public void replace(List<RuleSet> sets) {
        replace(sets, true);
    }

    /**
     * Replaces all rules by those that are left while others cannot be read. They decide like any; but they take no
     * subscription away for good, for what cannot be read may cover it.
     *
     * @param sets as in {@link #replace}, closing what is not known
     */
    public void replaceByRest(List<RuleSet> sets) {
        replace(sets, false);
    }

    private synchronized void replace(List<RuleSet> sets, boolean isWhole) {
        book = new RuleBook(book.version() + 1, sets, isWhole);
    }

    /** The number of the rules that hold: 1 for the first, and one more with each {@link #replace}. */
    @Override
    public long version() {
        return book.version();
    }

    /** What a client may do, now and after each {@link #replace}. */
    @Override
    public Permissions bind(ClientInfo client) {
        return bind(Subject.of(client));
    }

    @Override
    public Permissions bindAway(ClientInfo client) {
        return bind(Subject.ofAway(client));
    }

    /**
     * What a client may do, now and after each {@link #replace}.
     *
     * @throws IllegalArgumentException when the client's own rules are more than a {@link RuleSet} may have
     */
    public Permissions bind(Subject subject) {
        return new RulePermissions(this, subject);
    }

    @Override
    public boolean mayPublish(ClientInfo client, String topic, QoS qos, boolean retain) {
        return bind(client).mayPublish(topic, qos, retain).allowed();
    }

    @Override
    public boolean maySubscribe(ClientInfo client, String topicFilter, QoS qos) {
        return bind(client).maySubscribe(topicFilter, qos).granted();
    }

    @Override
    public boolean mayReceive(ClientInfo client, String topic) {
        return bind(client).mayReceive(topic).allowed();
    }

    RuleBook book() {
        return book;
    }
}
