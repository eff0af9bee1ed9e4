package io.tributary.security;

import io.tributary.broker.security.Authenticator.Refused;
import io.tributary.broker.security.Authenticator.Result;
import io.tributary.broker.security.store.SecurityRecorder;
import io.tributary.broker.security.store.SecurityStore;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.thread.StageFailure;
import io.tributary.security.work.WorkPool;
import java.time.InstantSource;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;

/**
 * What all authenticators of a broker share.
 *
 * @param clock the time by which tokens and users end
 * @param hashing where slow hashes are computed
 * @param store the broker's users and device tokens
 */
public record AuthenticatorContext(InstantSource clock, WorkPool hashing, SecurityStore store)
        implements AutoCloseable {
    private static final int WAITING_HASHES = 1_000;

    /** With one thread for slow hashes, for which at most 1,000 clients wait; their addresses take turns. */
    public static AuthenticatorContext create(InstantSource clock, SecurityStore store) {
        return new AuthenticatorContext(clock, WorkPool.computing("tributary-passwords", 1, WAITING_HASHES), store);
    }

    /** The same, where no authenticator looks into a store. */
    public static AuthenticatorContext create(InstantSource clock) {
        return create(clock, new SecurityStore(SecurityRecorder.NONE));
    }

    /** The same answer, but "too busy" (0x89) where a pool refused the work. */
    public static CompletionStage<Result> busyWhenRejected(CompletionStage<Result> answer) {
        return answer.exceptionally(failure -> {
            if (StageFailure.cause(failure) instanceof RejectedExecutionException) {
                return new Refused(ReasonCode.SERVER_BUSY, "too many clients wait for their authentication");
            }
            throw failure instanceof RuntimeException known ? known : new CompletionException(failure);
        });
    }

    @Override
    public void close() {
        hashing.close();
    }
}
