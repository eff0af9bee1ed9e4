package io.tributary.server.settings;

import io.tributary.broker.security.rules.Audience;
import io.tributary.broker.security.rules.Rule;
import io.tributary.broker.security.rules.RuleSet;
import io.tributary.server.settings.check.SettingException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;

/**
 * A rule set: rules in an order, and the clients that they are for. The first set is {@code rules[0]}, and its rules
 * come before those of later ones.
 *
 * @param name What the rule set is called in logs, such as {@code devices}. Without a value, {@code rules[<n>]}.
 * @param audience whom it is for
 * @param rules the rules, of which there must be 1 to 1,000, with topics of 256KB together at most
 */
public record RuleSetSettings(
        @Nullable String name,

        @Name("for") @DefaultValue AudienceSettings audience,

        @Nullable List<RuleSettings> rules) {

    /**
     * The rule set.
     *
     * @param defaultName its name when it has none
     * @param listeners the names of all listeners
     * @throws SettingException when it is not well made
     */
    RuleSet ruleSet(String group, String defaultName, Set<String> listeners) {
        List<RuleSettings> given = rules == null ? List.of() : rules;
        List<Supplier<Rule>> each = IntStream.range(0, given.size())
                .<Supplier<Rule>>mapToObj(i -> () -> given.get(i).rule(group + ".rules[" + i + "]"))
                .toList();
        Supplier<Audience> whom = () -> audience.audience(group + ".for", listeners);
        Supplier<RuleSet> whole = () -> new RuleSet(
                name == null ? defaultName : name,
                whom.get(),
                each.stream().map(Supplier::get).toList());
        List<Supplier<?>> parts = new ArrayList<>(each);
        parts.add(whom);
        return SettingException.together(() -> SettingException.naming(group + ".rules", whole), parts);
    }
}
