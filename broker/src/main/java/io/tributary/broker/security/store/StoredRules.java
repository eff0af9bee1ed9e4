package io.tributary.broker.security.store;

import io.tributary.broker.security.rules.Audience;
import io.tributary.broker.security.rules.Rule;
import io.tributary.broker.security.rules.RuleSet;
import io.tributary.broker.security.rules.Rules;
import io.tributary.broker.security.rules.TopicPattern;
import io.tributary.common.event.UnreadableRecordException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets the rule sets of a store decide, behind those of the configuration. A change holds a second after the store has
 * it. While there is a rule set that was never read, because its record cannot be, nobody may do what the configuration
 * leaves to the store: it may be one that denies; rules of users' own do not count then. Else users' own rules are
 * asked for where clients are bound to the rules, and are renewed alike. Thread-safe.
 */
public final class StoredRules implements SecurityStore.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(StoredRules.class);

    private static final List<RuleSet> NOTHING = List.of(new RuleSet(
            "unreadable",
            Audience.EVERYBODY,
            List.of(
                    new Rule(Rule.Effect.DENY, Rule.Action.ALL, TopicPattern.parse("#")),
                    new Rule(Rule.Effect.DENY, Rule.Action.ALL, TopicPattern.parse("$SYS/#")))));

    private final SecurityStore store;
    private final Rules rules;
    private final List<RuleSet> configured;
    private volatile boolean isChanged;
    private volatile boolean isUserChanged;

    private StoredRules(SecurityStore store, Rules rules, List<RuleSet> configured) {
        this.store = store;
        this.rules = rules;
        this.configured = List.copyOf(configured);
    }

    /**
     * From now on the rules are these of the configuration and those of the store. To be called before the broker
     * starts.
     */
    public static void decideIn(Rules rules, List<RuleSet> configured, SecurityStore store) {
        rules.keepOwn(store::rulesOf);
        store.listen(new StoredRules(store, rules, configured));
    }

    @Override
    public void changed(SecurityTable table, @Nullable SecurityObject before, @Nullable SecurityObject now) {
        if (table == SecurityTable.RULES) {
            isChanged = true;
        } else if (table == SecurityTable.USERS && !rulesOf(before).equals(rulesOf(now))) {
            isUserChanged = true;
        }
    }

    private static List<StoredRuleSet.Line> rulesOf(@Nullable SecurityObject object) {
        return object instanceof StoredUser user ? user.rules() : List.of();
    }

    @Override
    public synchronized void read() {
        isChanged = false;
        boolean wasUserChanged = isUserChanged;
        isUserChanged = false;
        List<RuleSet> all = new ArrayList<>(configured);
        try {
            List<StoredRuleSet> stored = store.ruleSets();
            if (stored == null) {
                isChanged = true; // the rules that hold stay until the store is there again
                isUserChanged = wasUserChanged;
                return;
            }
            stored.stream()
                    .sorted(Comparator.comparingInt(StoredRuleSet::order).thenComparing(StoredRuleSet::name))
                    .map(StoredRuleSet::compiled)
                    .forEach(all::add);
        } catch (UnreadableRecordException e) {
            LOG.error("a rule set of the store cannot be read: what only the store allows is denied until it is written"
                    + " again");
            all.addAll(NOTHING);
            rules.replaceByRestAlone(all);
            return;
        }
        if (!store.readsAllRules()) {
            rules.replaceByRest(all);
        } else if (all.size() > configured.size() || rules.version() > 1 || wasUserChanged) {
            rules.replace(all);
        }
    }

    @Override
    public void settle() {
        boolean areWhole = rules.areWhole();
        boolean readsAll = store.readsAllRules();
        if (isChanged || areWhole != readsAll || (isUserChanged && !areWhole)) {
            read();
        } else if (isUserChanged) {
            isUserChanged = false;
            rules.renew();
        }
    }
}
