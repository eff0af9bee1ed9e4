package io.tributary.broker.connection;

import static io.tributary.common.setting.InvalidSettingException.checkAtLeast;

/**
 * How fast one client may publish.
 *
 * @param perSecond messages a second in the long run; 0 for no limit
 * @param burst how many messages may come at once
 * @param policy what happens to a client that is faster
 */
public record MessageRate(int perSecond, int burst, Policy policy) {

    /** No limit. */
    public static final MessageRate UNLIMITED = new MessageRate(0, 0, Policy.BACKPRESSURE);

    /** What happens to a client that publishes too fast. */
    public enum Policy {
        /** It is read more slowly. */
        BACKPRESSURE,
        /** It is disconnected with reason code 0x96. */
        DISCONNECT
    }

    /** Checks that a limited rate allows something. */
    public MessageRate {
        checkAtLeast("rate", perSecond, 0);
        if (perSecond > 0) {
            checkAtLeast("burst", burst, 1);
        }
    }

    /** Whether a client that is faster is disconnected. */
    boolean disconnects() {
        return policy == Policy.DISCONNECT;
    }

    /** Whether there is a limit. */
    public boolean isLimited() {
        return perSecond > 0;
    }
}
