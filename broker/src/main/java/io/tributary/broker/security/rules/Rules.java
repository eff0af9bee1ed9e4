package io.tributary.broker.security.rules;

import java.util.List;

/**
 * The rules that hold, and that may be replaced by others at any time. Thread-safe; nothing blocks but
 * {@link #replace}.
 *
 * <p>As long as there are no rule sets at all, everybody may do what {@link
 * io.tributary.broker.security.Authorizer#allowAll} says.
 */
public final class Rules {
    private volatile RuleBook book;

    /** Creates them, as {@link #replace} does. */
    public Rules(List<RuleSet> sets) {
        book = new RuleBook(1, sets);
    }

    /**
     * Replaces all rules. Whoever has {@link Permissions} is asked by the new ones from now on.
     *
     * @param sets the rule sets in their order: a rule of an earlier set comes before those of later ones
     */
    public synchronized void replace(List<RuleSet> sets) {
        book = new RuleBook(book.version() + 1, sets);
    }

    /** The number of the rules that hold: 1 for the first, and one more with each {@link #replace}. */
    public long version() {
        return book.version();
    }

    /**
     * What a client may do, now and after each {@link #replace}.
     *
     * @throws IllegalArgumentException when the client's own rules are more than a {@link RuleSet} may have
     */
    public Permissions bind(Subject subject) {
        return new Permissions(this, subject);
    }

    RuleBook book() {
        return book;
    }
}
