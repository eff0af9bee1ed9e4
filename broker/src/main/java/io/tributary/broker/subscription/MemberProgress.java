package io.tributary.broker.subscription;

/**
 * Whether a member of shared subscriptions takes what it is sent, as far as looks at its flow tell, about one a second.
 * It is stuck when it has messages in flight and acknowledged none from a look to the third after it; until half of
 * them are gone. Confined to one thread.
 */
final class MemberProgress {
    private static final int LOOKS = 3;

    private long latest = -1;
    private int idleLooks;
    private int stuckWith;

    /**
     * Looks.
     *
     * @param flow how many messages are in flight in the lower half, how many were before in the upper one
     * @return whether the member is stuck
     */
    boolean look(long flow) {
        int inFlight = (int) flow;
        boolean isIdle = inFlight > 0 && flow >>> Integer.SIZE == latest >>> Integer.SIZE;
        idleLooks = isIdle ? idleLooks + 1 : 0;
        latest = flow;
        if (stuckWith == 0 && idleLooks >= LOOKS) {
            stuckWith = inFlight;
        } else if (inFlight <= stuckWith / 2) {
            stuckWith = 0;
        }
        return stuckWith > 0;
    }
}
