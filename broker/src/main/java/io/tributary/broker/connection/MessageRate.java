package io.tributary.broker.connection;

/**
 * How fast one client may publish.
 *
 * @param perSecond messages a second in the long run; 0 for no limit
 * @param burst how many messages may come at once
 * @param disconnects whether a client that is faster is disconnected with 0x96; otherwise it is read more slowly
 */
public record MessageRate(int perSecond, int burst, boolean disconnects) {

    /** No limit. */
    public static final MessageRate UNLIMITED = new MessageRate(0, 0, false);

    /** Checks that a limited rate allows something. */
    public MessageRate {
        if (perSecond < 0 || (perSecond > 0 && burst < 1)) {
            throw new IllegalArgumentException("message rate " + perSecond + " with burst " + burst);
        }
    }

    /** Whether there is a limit. */
    public boolean isLimited() {
        return perSecond > 0;
    }
}
