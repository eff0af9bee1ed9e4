package io.tributary.broker.delivery;

/**
 * Told the outcome of a message that a member of a shared subscription of applications was handed: one call of one
 * method, on any thread, which must not be blocked.
 */
public interface MemberReply {

    /** The client has acknowledged the message, or is not to have it: the message goes to no other member. */
    void done();

    /**
     * The member's connection is over, or there is none: another member is to have it.
     *
     * @param maybeSent whether the client may have been sent it
     */
    void returned(boolean maybeSent);
}
