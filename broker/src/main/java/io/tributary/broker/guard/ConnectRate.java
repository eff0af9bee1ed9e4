package io.tributary.broker.guard;

import static io.tributary.common.setting.InvalidSettingException.checkAtLeast;

/**
 * How often somebody may connect.
 *
 * @param perSecond how many times a second in the long run; 0 for no limit
 * @param burst how many times at once, after a time without
 */
public record ConnectRate(int perSecond, int burst) {
    /** As often as one likes. */
    public static final ConnectRate UNLIMITED = new ConnectRate(0, 0);

    /** Checks the ranges. */
    public ConnectRate {
        checkAtLeast("rate", perSecond, 0);
        if (perSecond > 0) {
            checkAtLeast("burst", burst, 1);
        }
    }
}
