package io.tributary.security.store;

import io.tributary.broker.security.store.Change;
import io.tributary.broker.security.store.ChangeResult;
import io.tributary.broker.security.store.SecurityStore;
import io.tributary.broker.security.store.SecurityTable;
import io.tributary.broker.security.store.StoredUser;
import io.tributary.security.password.PasswordHash;
import io.tributary.security.password.PasswordHash.Argon2id;
import io.tributary.security.password.PasswordHash.Bcrypt;
import io.tributary.security.work.WorkPool;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts hashes of Argon2id in the place of those that a store was given, once somebody has brought the right password. A
 * login never waits for that: it is done when no password waits to be checked, for a few users at once, and else at a
 * later login. Thread-safe.
 */
final class HashReplacement {
    private static final Logger LOG = LoggerFactory.getLogger(HashReplacement.class);
    private static final int AT_ONCE = 4;

    /** bcrypt looks at so many bytes, of which the last is its own where the password is shorter. */
    private static final int BCRYPT_BYTES = 72;

    private final SecurityStore store;
    private final WorkPool hashing;
    private final Semaphore room = new Semaphore(AT_ONCE);

    HashReplacement(SecurityStore store, WorkPool hashing) {
        this.store = store;
        this.hashing = hashing;
    }

    /** Somebody has brought the password that a user's hash is of. */
    void wasRight(StoredUser user, PasswordHash hash, byte[] password) {
        String before = user.passwordHash();
        boolean isWanted = !(hash instanceof Argon2id) && isAllOfIt(hash, password);
        if (before == null || !isWanted || !hashing.isIdle() || !room.tryAcquire()) {
            return;
        }
        byte[] copy = password.clone();
        CompletionStage<?> _ = hashing.submit(() ->
                        Argon2id.of(copy, StoredUser.saltInPlaceOf(before)).toString())
                .thenCompose(now -> put(user, before, now))
                .whenComplete((result, failure) -> {
                    room.release();
                    LOG.debug("{}: its hash is replaced: {}", user, failure == null ? result : failure);
                });
    }

    /** Unless the user has changed meanwhile. */
    private CompletionStage<ChangeResult> put(StoredUser user, String before, String now) {
        SecurityStore.Entry entry = store.find(SecurityTable.USERS, user.id());
        if (entry == null || !(entry.object() instanceof StoredUser there) || !before.equals(there.passwordHash())) {
            return CompletableFuture.completedStage(new ChangeResult.NotNow("the user is another one by now"));
        }
        Change.Condition unchanged = new Change.Is(entry.stamp());
        return store.change(Change.put(there.withPasswordHash(now), unchanged, Change.BROKER, ""));
    }

    /** Whether no other password has the hash, for the old forms cut off and fill up with zeros. */
    private static boolean isAllOfIt(PasswordHash hash, byte[] password) {
        for (byte each : password) {
            if (each == 0) {
                return false;
            }
        }
        return !(hash instanceof Bcrypt) || password.length < BCRYPT_BYTES;
    }
}
