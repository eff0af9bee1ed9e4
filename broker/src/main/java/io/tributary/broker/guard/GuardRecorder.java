package io.tributary.broker.guard;

/** Counts bans. Any thread; must be cheap. */
@FunctionalInterface
public interface GuardRecorder {

    /** Counts nothing. */
    GuardRecorder NONE = (kind, cause) -> {};

    /** Somebody was banned. */
    void banned(AutomaticBan.Kind kind, AutomaticBan.Cause cause);
}
