package io.tributary.broker.security;

import org.jspecify.annotations.Nullable;

/**
 * Whether a client may publish or receive a message.
 *
 * @param allowed whether it may
 * @param reason what says so, such as the rule {@code devices.rules[2]}; for logs
 * @param ruleSet the name of the rule set that says so, such as {@code devices}; null where none does. For counters
 */
public record Decision(
        boolean allowed, String reason, @Nullable String ruleSet) {
    /** It may: there is nothing that could say no. */
    public static final Decision ALLOWED = new Decision(true, "there are no rules");

    /** It may not: only the broker publishes there, unless rules say something else. */
    public static final Decision RESERVED = new Decision(false, "topics that begin with $ are the broker's own");

    /** One that no rule set has made. */
    public Decision(boolean allowed, String reason) {
        this(allowed, reason, null);
    }
}
