package io.tributary.broker.routing;

import io.tributary.common.setting.InvalidSettingException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which priorities messages get; none unless one of these is set.
 *
 * @param userProperty the name of the user property in which a publisher says it; null for none
 * @param rules the first that matches a message's topic counts; at most {@value #MOST_RULES}, each with a name of its
 *     own
 */
public record PriorityConfig(@Nullable String userProperty, List<PriorityRule> rules) {
    /** How many rules there are at most. */
    public static final int MOST_RULES = 100;

    /** All messages have the same priority. */
    public static final PriorityConfig NONE = new PriorityConfig(null, List.of());

    /** Copies the list. */
    public PriorityConfig {
        rules = List.copyOf(rules);
        if (userProperty != null && userProperty.isEmpty()) {
            throw new InvalidSettingException("user-property", "'' must not be empty; leave it out for none");
        }
        if (rules.size() > MOST_RULES) {
            throw new InvalidSettingException(
                    "rules", "has " + rules.size() + "; it must have " + MOST_RULES + " at most");
        }
        checkNames(rules);
    }

    private static void checkNames(List<PriorityRule> rules) {
        List<String> names = rules.stream().map(PriorityRule::name).toList();
        for (int i = 0; i < names.size(); i++) {
            int first = names.indexOf(names.get(i));
            if (first < i) {
                throw new InvalidSettingException(
                        "rules[" + i + "].name",
                        "'" + names.get(i) + "' is the name of rules[" + first + "] too; each needs one of its own");
            }
        }
    }

    /** The defaults, to be changed. */
    public static Builder builder() {
        return new Builder(NONE);
    }

    /** These values, to be changed. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Collects values under the names of the settings. Not thread-safe. */
    public static final class Builder {
        private @Nullable String userProperty;
        private List<PriorityRule> rules;

        private Builder(PriorityConfig from) {
            userProperty = from.userProperty;
            rules = from.rules;
        }

        /** The name of the user property in which a publisher says a message's priority; null for none. */
        public Builder userProperty(@Nullable String value) {
            userProperty = value;
            return this;
        }

        /** The priorities of topics; the first rule that matches counts. */
        public Builder rules(List<PriorityRule> value) {
            rules = List.copyOf(value);
            return this;
        }

        /**
         * The whole.
         *
         * @throws InvalidSettingException when a value is not allowed, with the name of its setting
         */
        public PriorityConfig build() {
            return new PriorityConfig(userProperty, rules);
        }
    }
}
