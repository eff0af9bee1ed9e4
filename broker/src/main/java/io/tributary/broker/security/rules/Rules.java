package io.tributary.broker.security.rules;

import io.tributary.broker.security.Authorizer;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.Permissions;
import io.tributary.common.event.Principal;
import io.tributary.common.mqtt.QoS;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rules that hold, and that may be replaced by others at any time. Thread-safe; nothing blocks but
 * {@link #replace}.
 *
 * <p>As long as there are no rule sets at all, everybody without rules of his own may do what
 * {@link Authorizer#allowAll} says. Clients whose own rules are the same, placeholders included, share them compiled.
 */
public final class Rules implements Authorizer {
    /** How many compiled rules of clients' own are found by those who come later. */
    private static final int MOST_SHARED = 1_000;

    private final long digest;
    private volatile RuleBook book;
    private volatile OwnRules.Keeper keeper = OwnRules.Keeper.NONE;
    private final Map<List<Rule>, RuleBook> own = Collections.synchronizedMap(new Shared());

    /** Creates them, as {@link #replace} does; with those of the configuration, which other nodes may not have. */
    public Rules(List<RuleSet> sets) {
        digest = RuleDigest.of(sets);
        book = new RuleBook(1, sets, true, true);
    }

    /**
     * Replaces all rules. Whoever has {@link Permissions} is asked by the new ones from now on; subscriptions that are
     * there are looked at again by the broker, which sees the new {@link #version}.
     *
     * @param sets the rule sets in their order: a rule of an earlier set comes before those of later ones
     */
    public void replace(List<RuleSet> sets) {
        replace(sets, true, true);
    }

    /**
     * Replaces all rules by those that are left while others cannot be read. They decide like any; but they take no
     * subscription away for good, for what cannot be read may cover it.
     *
     * @param sets as in {@link #replace}
     */
    public void replaceByRest(List<RuleSet> sets) {
        replace(sets, false, true);
    }

    /**
     * The same, while it is not known what else there is. Rules of clients' own do not count: what comes before them,
     * and was never read, may deny what they allow.
     *
     * @param sets as in {@link #replace}, closing what is not known
     */
    public void replaceByRestAlone(List<RuleSet> sets) {
        replace(sets, false, false);
    }

    private synchronized void replace(List<RuleSet> sets, boolean isWhole, boolean takesOwn) {
        book = new RuleBook(book.version() + 1, sets, isWhole, takesOwn);
    }

    /** Rules of clients' own have changed at the keeper: the same as {@link #replace}, with the same rule sets. */
    public synchronized void renew() {
        book = book.again();
    }

    /** Has this one asked for rules of principals that come without, or whose rules are {@link OwnRules#KEPT}. */
    public void keepOwn(OwnRules.Keeper rulesOfPrincipals) {
        keeper = rulesOfPrincipals;
    }

    /** Whether no rule set is left out, as with {@link #replaceByRest}. */
    public boolean areWhole() {
        return book.isWhole();
    }

    /** The number of the rules that hold: 1 for the first, one more with each {@link #replace} and {@link #renew}. */
    @Override
    public long version() {
        return book.version();
    }

    /** That of the rules that these were created with. */
    @Override
    public long digest() {
        return digest;
    }

    /** What a client may do, now and after each {@link #replace}. */
    @Override
    public Permissions bind(ClientInfo client) {
        return new RulePermissions(this, Subject.of(client), client.principal());
    }

    @Override
    public Permissions bindAway(ClientInfo client) {
        return new RulePermissions(this, Subject.ofAway(client), client.principal());
    }

    /**
     * What a client may do, now and after each {@link #replace}.
     *
     * @throws IllegalArgumentException when the client's own rules are more than a {@link RuleSet} may have
     */
    public Permissions bind(Subject subject) {
        return new RulePermissions(this, subject, null);
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

    /** The rules of a client's own, compiled; null when it has none. */
    @Nullable
    RuleBook own(Subject subject, @Nullable Principal principal) {
        List<Rule> rules = principal == null ? subject.rules() : OwnRules.of(principal, keeper);
        if (rules == null || rules.isEmpty()) {
            return null;
        }
        RuleBook known = own.get(rules);
        if (known == null) {
            known = new RuleBook(0, List.of(new RuleSet("own", Audience.EVERYBODY, rules)), true, false);
            own.put(rules, known);
        }
        return known;
    }

    /** By the rules; in a full one that goes which was longest not looked for. */
    private static final class Shared extends LinkedHashMap<List<Rule>, RuleBook> {
        private static final long serialVersionUID = 1L;

        Shared() {
            super(16, 0.75f, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<List<Rule>, RuleBook> eldest) {
            return size() > MOST_SHARED;
        }
    }
}
