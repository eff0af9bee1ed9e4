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

    /** Whether no packets are taken for a reason that is not the client's own pace. */
    boolean isHeldByBroker() {
        for (PauseReason reason : reasons) {
            if (!reason.isOfClient()) {
                return true;
            }
        }
        return false;
    }

    /** Whether the packet that was taken last waits itself. */
    boolean holdsPacket() {
        if (reasons.isEmpty()) { // as after nearly every packet
            return false;
        }
        for (PauseReason reason : reasons) {
            if (reason.holdsPacket()) {
                return true;
            }
        }
        return false;
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
     * Takes a reason away. If none is left, packets are taken before this returns, and may have closed the gate again,
     * for the same reason perhaps.
     */
    void open(PauseReason gone) {
        if (reasons.remove(gone) && reasons.isEmpty()) {
            onOpen.run();
        }
    }

    /** Takes several reasons away, at once: what is taken behind the first may be held for another one. */
    void open(Set<PauseReason> gone) {
        if (reasons.removeAll(gone) && reasons.isEmpty()) {
            onOpen.run();
        }
    }
}
