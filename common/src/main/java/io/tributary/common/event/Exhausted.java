package io.tributary.common.event;

/**
 * Which limits of its tenant are reached, as the node of a connection knew it when it asked for the session. It is in
 * the log, so all who fold it decide alike: what would be one more is refused, and what is there goes on. Records have
 * it from format {@value #FIRST} on.
 *
 * @param connections whether the connection may only take the place of another one
 * @param sessions whether no persistent session may begin but in the place of another one
 */
public record Exhausted(boolean connections, boolean sessions) {
    /** The first format whose records have it. */
    public static final int FIRST = 3;

    /** None is reached. */
    public static final Exhausted NOTHING = new Exhausted(false, false);
}
