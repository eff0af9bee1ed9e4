package io.tributary.broker.shard.fold;

import io.tributary.common.event.AttachRefusal;
import io.tributary.common.event.Principal;
import io.tributary.common.event.ShardEvent.Attach;
import org.jspecify.annotations.Nullable;

/** Why a connection does not get a session, as every fold of its record decides. */
final class SessionAdmission {
    private SessionAdmission() {}

    /**
     * Why the connection of this record does not get the client's session, nor puts another one in its place; null when
     * it does.
     *
     * @param existing the client's session, which may have expired; null where there is none
     * @param resumed whether it is to go on with the session
     */
    static @Nullable AttachRefusal refusalOf(
            Attach attach, @Nullable SessionState existing, boolean resumed, long timeMillis) {
        if (existing == null) {
            return oneTooMany(attach, false, false);
        }
        if (timeMillis < existing.expiresAtMillis() && isSomebodyElses(existing.principal(), attach)) {
            return AttachRefusal.IS_SOMEBODY_ELSES;
        }
        return isOfTheOtherKind(existing, attach, resumed)
                ? AttachRefusal.ofKind(existing.kind())
                : oneTooMany(attach, existing.isAttached(), resumed || existing.isPersistent());
    }

    /**
     * Why the connection of this record would be one more than its tenant may have, or begin such a session.
     *
     * @param hasConnection whether it takes the place of another connection
     * @param hasSession whether it resumes a persistent session, or takes the place of one
     */
    private static @Nullable AttachRefusal oneTooMany(Attach attach, boolean hasConnection, boolean hasSession) {
        if (attach.exhausted().connections() && !hasConnection) {
            return AttachRefusal.TENANT_CONNECTIONS;
        }
        return attach.exhausted().sessions() && attach.sessionExpirySeconds() > 0 && !hasSession
                ? AttachRefusal.TENANT_SESSIONS
                : null;
    }

    /** What is not known, for it was logged in format 1, is not compared. */
    private static boolean isSomebodyElses(@Nullable Principal whose, Attach attach) {
        return whose != null
                && attach.principal() != null
                && !attach.takesAnyones()
                && !whose.isSameAs(attach.principal());
    }

    /**
     * Whether the session cannot go on with the connection of this record, for its messages wait elsewhere. One whose
     * messages of shared subscriptions are still to go to other members cannot make room for an application's either.
     */
    private static boolean isOfTheOtherKind(SessionState existing, Attach attach, boolean resumed) {
        return existing.kind().isApplication() != attach.kind().isApplication()
                && (resumed || existing.groupUpTo() > 0);
    }
}
