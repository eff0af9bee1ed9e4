package io.tributary.server.settings;

import io.tributary.broker.routing.PriorityConfig;
import io.tributary.server.settings.check.SettingException;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The priorities of messages that wait for a device: higher ones go first, and are dropped last
 * ([priorities.md](priorities.md)). Without these settings there are none.
 *
 * @param userProperty The name of the user property by which a publisher says a message's priority, {@code 0} to
 *     {@code 3}; goes before the rules. The first of that name counts, and any other value says nothing.
 * @param rules the priorities of topics
 */
public record PrioritySettings(
        @Nullable String userProperty, @DefaultValue List<PriorityRuleSettings> rules) {

    /** @throws SettingException when a rule is not well made */
    void change(String group, PriorityConfig.Builder to) {
        to.userProperty(userProperty)
                .rules(IntStream.range(0, rules.size())
                        .mapToObj(i -> rules.get(i).rule(group + ".rules[" + i + "]"))
                        .toList());
    }
}
