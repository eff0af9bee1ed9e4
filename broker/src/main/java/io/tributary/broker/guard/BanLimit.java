package io.tributary.broker.guard;

import static io.tributary.common.setting.InvalidSettingException.checkAtLeast;
import static io.tributary.common.setting.InvalidSettingException.checkPositive;

import java.time.Duration;

/**
 * What bans somebody for a while: so many things within a time.
 *
 * @param count how many; 0 for no ban
 * @param within the time, from the first one
 * @param duration how long the ban lasts
 */
public record BanLimit(int count, Duration within, Duration duration) {
    /** Nobody is banned. */
    public static final BanLimit NONE = new BanLimit(0, Duration.ofMinutes(1), Duration.ofMinutes(1));

    /** Checks the ranges. */
    public BanLimit {
        checkAtLeast("count", count, 0);
        checkPositive("within", within);
        checkPositive("duration", duration);
    }
}
