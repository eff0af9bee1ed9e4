package io.tributary.broker.connection;

import java.util.EnumSet;
import java.util.Set;

/**
 * Whether a connection takes packets: only while there is no reason to pause. Confined to the event loop. The socket's
 * handler asks before each packet, and is told when the last reason is gone.
 */
final class PacketGate {
    private final ClientRecorder recorder;
    private final Runnable onOpen;
    private final Set<PauseReason> reasons = EnumSet.noneOf(PauseReason.class);

    PacketGate(ClientRecorder recorder, Runnable onOpen) {
        this.recorder = recorder;
        this.onOpen = onOpen;
    }

    /** Whether packets are taken. */
    boolean isOpen() {
        return reasons.isEmpty();
    }

    /**
     * Takes no packets until the reason is gone.
     *
     * @return whether the reason is a new one
     */
    boolean close(PauseReason reason) {
        if (!reasons.add(reason)) {
            return false;
        }
        recorder.readingPaused(reason);
        return true;
    }

    /**
     * Takes a reason away. If it was the last, packets are taken before this returns, and may have closed the gate
     * again, for the same reason perhaps.
     */
    void open(PauseReason reason) {
        if (reasons.remove(reason) && reasons.isEmpty()) {
            onOpen.run();
        }
    }

    /** Takes two reasons away at once: what is taken behind the first may be held for the other one. */
    void open(PauseReason reason, PauseReason other) {
        boolean isGone = reasons.remove(other);
        if ((reasons.remove(reason) || isGone) && reasons.isEmpty()) {
            onOpen.run();
        }
    }
}
