package io.tributary.server.settings;

import io.tributary.broker.security.rules.RuleSet;
import io.tributary.server.settings.check.SettingException;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Who may do what.
 *
 * @param rules what clients may do
 */
public record SecuritySettings(@Nullable List<RuleSetSettings> rules) {

    /**
     * The rule sets; none when everybody may do everything.
     *
     * @param listeners the names of all listeners
     * @throws SettingException when one is not well made
     */
    List<RuleSet> ruleSets(String group, Set<String> listeners) {
        if (rules == null) {
            return List.of();
        }
        if (rules.isEmpty()) { // a list that was left empty must not open what it was to close
            throw new SettingException(
                    group + ".rules", "is empty; leave it out for no rules, where everybody may do everything");
        }
        List<RuleSetSettings> sets = rules;
        List<Supplier<RuleSet>> each = IntStream.range(0, sets.size())
                .<Supplier<RuleSet>>mapToObj(
                        i -> () -> sets.get(i).ruleSet(group + ".rules[" + i + "]", "rules[" + i + "]", listeners))
                .toList();
        return SettingException.together(() -> each.stream().map(Supplier::get).toList(), each);
    }
}
