package io.tributary.perf.target;

/** A broker that the tool can start. */
interface TargetKind {

    /**
     * Starts it, and returns when it accepts clients. It ends when the target is closed, or this process ends.
     *
     * @throws TargetException if it cannot be started, or something is missing; then the message says what to install
     */
    Target start(TargetContext context);
}
