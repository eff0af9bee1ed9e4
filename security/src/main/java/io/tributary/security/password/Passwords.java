package io.tributary.security.password;

import io.tributary.broker.security.Asker;
import io.tributary.security.work.WorkPool;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Checks passwords against slow hashes, and remembers for a while which one was right, so that a client that comes back
 * costs a keyed hash instead of a slow one. What is remembered is useless outside this process: its key is random. It
 * is forgotten when the stored hash changes. Thread-safe.
 */
public final class Passwords {
    /** How long a right password is remembered. */
    public static final Duration REMEMBERED = Duration.ofMinutes(15);

    private static final String ALGORITHM = "HmacSHA256";
    private static final int KEY_BYTES = 32;

    private final WorkPool hashing;
    private final LongSupplier nanoTime;
    private final SecretKeySpec key;
    private final Map<String, Remembered> remembered = new ConcurrentHashMap<>();
    private final AtomicLong sweepNanos;

    /** Takes the threads for the slow hashes, and a monotonic clock. */
    public Passwords(WorkPool hashing, LongSupplier nanoTime) {
        this.hashing = hashing;
        this.nanoTime = nanoTime;
        byte[] random = new byte[KEY_BYTES];
        new SecureRandom().nextBytes(random);
        key = new SecretKeySpec(random, ALGORITHM);
        sweepNanos = new AtomicLong(nanoTime.getAsLong() + REMEMBERED.toNanos());
    }

    /** A password that was right, as a keyed hash of itself and of the stored hash. */
    @SuppressWarnings("ArrayRecordComponent") // never compared as a record
    private record Remembered(PasswordHash stored, byte[] mac, long untilNanos) {}

    /**
     * Whether the password of the user is right; at once when it is remembered.
     *
     * @param user what the password is remembered under
     * @return fails with a {@link java.util.concurrent.RejectedExecutionException} when too many wait, or the client is
     *     gone before it is its turn
     */
    public CompletionStage<Boolean> check(String user, PasswordHash stored, byte[] password, Asker asker) {
        byte[] mac = mac(password);
        if (isRemembered(user, stored, mac)) {
            return CompletableFuture.completedFuture(true);
        }
        return hashing.submit(asker, () -> {
            if (isRemembered(user, stored, mac)) { // the same client, twice in the queue
                return true;
            }
            boolean right = stored.matches(password);
            if (right) {
                remembered.put(user, new Remembered(stored, mac, nanoTime.getAsLong() + REMEMBERED.toNanos()));
                sweep();
            }
            return right;
        });
    }

    /** Takes as long as a check of a wrong password. */
    public CompletionStage<Boolean> pretend(PasswordHash stored, byte[] password, Asker asker) {
        return hashing.submit(asker, () -> {
            boolean _ = stored.matches(password);
            return false;
        });
    }

    /** A number that the text always gives in this process, and that nobody outside can foresee; not negative. */
    public int unforeseeable(String text) {
        byte[] mac = mac(PasswordHash.utf8(text));
        return (mac[0] & 0x7f) << 24 | (mac[1] & 0xff) << 16 | (mac[2] & 0xff) << 8 | (mac[3] & 0xff);
    }

    /** Forgets users whose stored hash is not the given one any more. */
    public void keepOnly(Map<String, PasswordHash> stored) {
        remembered.entrySet().removeIf(each -> !each.getValue().stored().equals(stored.get(each.getKey())));
    }

    /** Forgets the password of a user. */
    public void forget(String user) {
        remembered.remove(user);
    }

    private boolean isRemembered(String user, PasswordHash stored, byte[] mac) {
        Remembered right = remembered.get(user);
        return right != null
                && right.stored().equals(stored)
                && right.untilNanos() - nanoTime.getAsLong() > 0
                && MessageDigest.isEqual(right.mac(), mac);
    }

    /** Drops what is overdue, once in the time for which a password is remembered. */
    private void sweep() {
        long now = nanoTime.getAsLong();
        long due = sweepNanos.get();
        if (now - due >= 0 && sweepNanos.compareAndSet(due, now + REMEMBERED.toNanos())) {
            remembered.values().removeIf(each -> each.untilNanos() - now <= 0);
        }
    }

    private byte[] mac(byte @Nullable [] text) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return mac.doFinal(text);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + ALGORITHM, e);
        }
    }
}
