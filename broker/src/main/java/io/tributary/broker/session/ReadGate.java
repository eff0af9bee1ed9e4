package io.tributary.broker.session;

/**
 * Whether a session takes packets: only while no reason is against it. Confined to the event loop. The connection asks
 * before each packet, and is told when the last reason is gone.
 */
final class ReadGate {
    private final SessionRecorder recorder;
    private final Runnable onOpen;
    private int reasons;

    ReadGate(SessionRecorder recorder, Runnable onOpen) {
        this.recorder = recorder;
        this.onOpen = onOpen;
    }

    /** Whether packets are taken. */
    boolean isOpen() {
        return reasons == 0;
    }

    /**
     * Takes no packets until the reason is gone.
     *
     * @return whether the reason is a new one
     */
    boolean close(PauseReason reason) {
        int before = reasons;
        reasons |= bit(reason);
        if (reasons == before) {
            return false;
        }
        recorder.readingPaused(reason);
        return true;
    }

    /** Takes a reason away. */
    void open(PauseReason reason) {
        int before = reasons;
        reasons &= ~bit(reason);
        if (before != 0 && reasons == 0) {
            onOpen.run();
        }
    }

    private static int bit(PauseReason reason) {
        return 1 << reason.ordinal();
    }
}
