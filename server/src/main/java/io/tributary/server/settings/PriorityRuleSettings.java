package io.tributary.server.settings;

import io.tributary.broker.routing.PriorityRule;
import io.tributary.server.settings.check.Allowed;
import io.tributary.server.settings.check.SettingException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * One rule; the first that matches a message's topic counts, of at most 100. Messages that expire before they are sent
 * are counted by rule ({@code tributary_deadlines_missed_total}).
 *
 * @param name The value of the label {@code rule}: 1 to 64 letters, digits, {@code -} and {@code _}. Must be given, and
 *     no two rules have the same.
 * @param topicFilter A topic filter; must be given. Of a tenant, topics are as its clients know them.
 * @param priority The priority of messages on these topics. With 0 the rule only counts.
 */
public record PriorityRuleSettings(
        @Nullable String name,
        @Nullable String topicFilter,
        @DefaultValue("0") @Allowed(min = "0", max = "3") int priority) {

    /**
     * The rule.
     *
     * @throws SettingException when it is not well made
     */
    PriorityRule rule(String group) {
        if (name == null) {
            throw new SettingException(group + ".name", "is missing; it must be " + PriorityRule.NAMES);
        }
        if (topicFilter == null) {
            throw new SettingException(
                    group + ".topic-filter", "is missing; it must be a topic filter, such as alarms/#");
        }
        String called = name;
        String filter = topicFilter;
        return SettingException.naming(group, () -> PriorityRule.of(called, filter, priority));
    }
}
