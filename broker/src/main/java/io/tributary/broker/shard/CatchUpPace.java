package io.tributary.broker.shard;

import static io.tributary.common.setting.InvalidSettingException.checkAtLeast;

/**
 * How fast an application is sent messages that it missed, so that an application that was away for long takes no more
 * than its part of the node. Messages of the last few seconds are not held back.
 *
 * @param messagesPerSecond how many messages a second; 0 for no limit
 * @param bytesPerSecond how many bytes of messages a second; 0 for no limit
 */
public record CatchUpPace(int messagesPerSecond, long bytesPerSecond) {
    /** No limits. */
    public static final CatchUpPace NONE = new CatchUpPace(0, 0);

    private static final long MILLIS = 1000;
    private static final int PAGES_PER_SECOND = 10;

    public CatchUpPace {
        checkAtLeast("catch-up-messages", messagesPerSecond, 0);
        checkAtLeast("catch-up-size", bytesPerSecond, 0);
    }

    /** Whether there is a limit. */
    boolean isLimited() {
        return messagesPerSecond > 0 || bytesPerSecond > 0;
    }

    /** The most messages to send at once. */
    int mostAtOnce(int wanted) {
        return messagesPerSecond == 0 ? wanted : Math.min(wanted, Math.ceilDiv(messagesPerSecond, PAGES_PER_SECOND));
    }

    /** How long it takes to send so much, in milliseconds. */
    long millisFor(long messages, long bytes) {
        long forMessages = messagesPerSecond == 0 ? 0 : Math.ceilDiv(messages * MILLIS, messagesPerSecond);
        long forBytes = bytesPerSecond == 0 ? 0 : Math.ceilDiv(bytes * MILLIS, bytesPerSecond);
        return Math.max(forMessages, forBytes);
    }
}
