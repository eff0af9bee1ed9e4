package io.tributary.security.http;

import io.tributary.broker.security.ClientInfo;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Answers that may be kept, by a keyed hash of what the client brought: no password is in memory. Those that were not
 * asked for longest go first. Thread-safe.
 */
final class AnswerCache {
    private static final String ALGORITHM = "HmacSHA256";
    private static final int KEY_BYTES = 32;

    private final LongSupplier nanoTime;
    private final SecretKeySpec secret;
    private final Map<ByteBuffer, Kept> answers; // guarded by itself

    AnswerCache(int most, LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        byte[] random = new byte[KEY_BYTES];
        new SecureRandom().nextBytes(random);
        secret = new SecretKeySpec(random, ALGORITHM);
        answers = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<ByteBuffer, Kept> eldest) {
                return size() > most;
            }
        };
    }

    private record Kept(ServiceAnswer answer, long untilNanos) {}

    /** What an answer to this client is kept under; not its address, which changes. */
    byte[] key(ClientInfo client, byte @Nullable [] password) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(secret);
            add(mac, utf8(client.clientId()));
            add(mac, utf8(client.userName()));
            add(mac, utf8(client.listener()));
            add(mac, utf8(client.certificateSubject()));
            add(mac, password);
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + ALGORITHM, e);
        }
    }

    @Nullable
    ServiceAnswer get(byte[] key) {
        synchronized (answers) {
            Kept kept = answers.get(ByteBuffer.wrap(key));
            if (kept == null) {
                return null;
            }
            if (kept.untilNanos() - nanoTime.getAsLong() > 0) {
                return kept.answer();
            }
            answers.remove(ByteBuffer.wrap(key));
            return null;
        }
    }

    void put(byte[] key, ServiceAnswer answer) {
        if (answer.keep().isPositive()) {
            synchronized (answers) {
                answers.put(
                        ByteBuffer.wrap(key),
                        new Kept(answer, nanoTime.getAsLong() + answer.keep().toNanos()));
            }
        }
    }

    /** With its length first, so that no two clients give the same bytes. */
    private static void add(Mac mac, byte @Nullable [] part) {
        int length = part == null ? -1 : part.length;
        mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(length).flip());
        if (part != null) {
            mac.update(part);
        }
    }

    private static byte @Nullable [] utf8(@Nullable String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }
}
