package io.tributary.broker.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.concurrent.DefaultEventExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LoopMailboxTest {
    private final DefaultEventExecutor loop = new DefaultEventExecutor();
    private final LoopMailbox mailbox = new LoopMailbox(loop);

    @AfterEach
    void stop() {
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    @Test
    void keepsOrderOfEachThread() throws InterruptedException {
        List<Integer> handled = new ArrayList<>();
        CountDownLatch done = new CountDownLatch(1);
        for (int i = 0; i < 100_000; i++) {
            int number = i;
            mailbox.post(() -> handled.add(number));
        }
        mailbox.post(done::countDown);

        assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(handled).hasSize(100_000).isSorted();
    }

    @Test
    void losesNoLetterWhenManyThreadsPost() throws InterruptedException {
        AtomicInteger handled = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            threads.add(Thread.ofPlatform().start(() -> {
                for (int i = 0; i < 50_000; i++) {
                    mailbox.post(handled::incrementAndGet);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }

        Awaitility.await()
                .atMost(Duration.ofSeconds(10))
                .untilAsserted(() -> assertThat(handled).hasValue(200_000));
    }

    @Test
    void doesOnceAtEndOfTurnWhatLettersAskFor() throws InterruptedException {
        List<String> done = new ArrayList<>();
        CountDownLatch ended = new CountDownLatch(1);
        CountDownLatch posted = new CountDownLatch(1);
        loop.execute(() -> await(posted));
        mailbox.post(() -> {
            done.add("first");
            mailbox.atEndOfTurn(() -> {
                done.add("end");
                ended.countDown();
            });
        });
        mailbox.post(() -> done.add("second"));
        posted.countDown();

        assertThat(ended.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(done).containsExactly("first", "second", "end");
    }

    @Test
    void takesAnotherTurnWhenEndOfTurnAsksForMore() throws InterruptedException {
        CountDownLatch ended = new CountDownLatch(1);

        mailbox.post(() -> mailbox.atEndOfTurn(() -> mailbox.atEndOfTurn(ended::countDown)));

        assertThat(ended.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void endsTheTurnWhenALetterFailsWithAnError() throws InterruptedException {
        CountDownLatch ended = new CountDownLatch(1);
        loop.execute(() -> {
            mailbox.post(() -> mailbox.atEndOfTurn(ended::countDown));
            mailbox.post(() -> {
                throw new AssertionError("a bug");
            });
        });

        assertThat(ended.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void handlesLaterLettersWhenOneFails() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        mailbox.post(() -> {
            throw new IllegalStateException("a bug");
        });
        mailbox.post(done::countDown);

        assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void runsAtOnceWhenCalledOnItsLoop() throws InterruptedException {
        List<String> done = new ArrayList<>();
        CountDownLatch ended = new CountDownLatch(1);
        mailbox.run(() -> {
            mailbox.run(() -> done.add("inner"));
            done.add("outer");
            ended.countDown();
        });

        assertThat(ended.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(done).containsExactly("inner", "outer");
    }

    @Test
    void dropsLettersWhenLoopIsClosed() {
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();

        mailbox.post(() -> {
            throw new AssertionError("nobody is there");
        });
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
