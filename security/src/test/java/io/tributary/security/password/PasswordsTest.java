package io.tributary.security.password;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.broker.security.Asker;
import io.tributary.security.work.WorkPool;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PasswordsTest {
    private static final byte[] RIGHT = PasswordHash.utf8("tributary");
    private static final byte[] WRONG = PasswordHash.utf8("tributarY");

    private final WorkPool hashing = WorkPool.computing("test", 1, 2);
    private final AtomicLong nanos = new AtomicLong();
    private final Passwords passwords = new Passwords(hashing, nanos::get);

    @AfterEach
    void close() {
        hashing.close();
    }

    /** Made by argon2-cffi, which has the reference implementation in it, and by crypt(3). */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "$argon2id$v=19$m=19456,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$DIVxXbzyTufGziJVmx3+B2oksVdu2DH9/tcgGgqN7hI",
                "$argon2id$v=19$m=256,t=3,p=2$MDEyMzQ1Njc4OWFiY2RlZg$gt+e2eCoCOFlbgTt/2msSiIArO8TpycdmpqzkjncWtU",
                "$2b$04$EGdrhbKUv8Oc9vGiXX0HQOC7x/FiY5BvBGcvs8tODvacse791.dge",
            })
    void hashOfAnotherToolTellsRightFromWrong(String text) {
        PasswordHash hash = PasswordHash.parse(text);
        assertThat(hash.matches(RIGHT)).isTrue();
        assertThat(hash.matches(WRONG)).isFalse();
        assertThat(hash).isEqualTo(PasswordHash.parse(text));
    }

    @Test
    void newHashIsWrittenAsTheReferenceToolWritesIt() {
        String text = PasswordHash.Argon2id.of(RIGHT, PasswordHash.utf8("0123456789abcdef"))
                .toString();
        assertThat(text)
                .isEqualTo(
                        "$argon2id$v=19$m=19456,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$DIVxXbzyTufGziJVmx3+B2oksVdu2DH9/tcgGgqN7hI");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "$argon2id$v=19$m=1048576,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$MDEyMzQ1Njc4OWFiY2RlZg",
                "$argon2id$v=19$m=19456,t=99,p=1$MDEyMzQ1Njc4OWFiY2RlZg$MDEyMzQ1Njc4OWFiY2RlZg",
                "$argon2i$v=19$m=19456,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$MDEyMzQ1Njc4OWFiY2RlZg",
                "$2b$31$EGdrhbKUv8Oc9vGiXX0HQOC7x/FiY5BvBGcvs8tODvacse791.dge",
                "plain"
            })
    void hashThatCostsTooMuchOrIsNoneIsRefused(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> PasswordHash.parse(text));
    }

    @Test
    void rightPasswordIsRememberedForAWhileAndUntilTheHashChanges() {
        PasswordHash stored = hash(RIGHT);
        assertThat(check(stored, RIGHT)).isTrue();
        hashing.close(); // from here on, only what is remembered is right
        assertThat(check(stored, RIGHT)).isTrue();
        assertThatThrownBy(() -> check(stored, WRONG)).hasCauseInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> check(hash(WRONG), RIGHT)).hasCauseInstanceOf(RejectedExecutionException.class);

        passwords.keepOnly(Map.of("alice", hash(RIGHT)));
        assertThat(check(stored, RIGHT)).isTrue();
        nanos.addAndGet(Passwords.REMEMBERED.toNanos());
        assertThatThrownBy(() -> check(stored, RIGHT)).hasCauseInstanceOf(RejectedExecutionException.class);
    }

    @Test
    void forgetsUsersWhoseHashChanged() {
        PasswordHash stored = hash(RIGHT);
        assertThat(check(stored, RIGHT)).isTrue();
        passwords.keepOnly(Map.of("alice", hash(WRONG)));
        hashing.close();
        assertThatThrownBy(() -> check(stored, RIGHT)).hasCauseInstanceOf(RejectedExecutionException.class);
    }

    @Test
    void isRefusedWhenTooManyWait() {
        CountDownLatch hold = new CountDownLatch(1);
        List<CompletionStage<Boolean>> stages = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            stages.add(hashing.submit(() -> {
                try {
                    hold.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                return true;
            }));
        }
        hold.countDown();
        assertThat(stages.getLast().toCompletableFuture()).isCompletedExceptionally();
        assertThat(stages.subList(0, 3))
                .allSatisfy(
                        stage -> assertThat(stage.toCompletableFuture().join()).isTrue());
    }

    private boolean check(PasswordHash stored, byte[] password) {
        CompletableFuture<Boolean> answer =
                passwords.check("alice", stored, password, Asker.UNKNOWN).toCompletableFuture();
        return answer.join();
    }

    /** A cheap hash of a password. */
    private static PasswordHash hash(byte[] password) {
        byte[] salt = PasswordHash.utf8("01234567");
        byte[] hash = new PasswordHash.Argon2id(8, 1, 1, salt, new byte[16]).compute(password);
        return new PasswordHash.Argon2id(8, 1, 1, salt, hash);
    }
}
