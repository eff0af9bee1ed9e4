package io.tributary.broker.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.util.concurrent.DefaultEventExecutor;
import io.tributary.broker.shard.ShardThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LoopMailboxTest {
    private final DefaultEventExecutor loop = new DefaultEventExecutor();
    private final LoopMailbox mailbox = new LoopMailbox(loop);

    /** A mailbox has a turn of its own at first: what is posted meanwhile would be of that one. */
    @BeforeEach
    void awaitFirstTurn() {
        loop.submit(() -> {}).syncUninterruptibly();
    }

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

    /** The queue asks for a letter when it has its place, here in a new chunk, and the loop handles all others then. */
    @Test
    void placeIsTakenWhileTheQueueGrows() {
        MpscUnboundedArrayQueue<Integer> queue = new MpscUnboundedArrayQueue<>(2);
        List<Boolean> wasEmpty = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            queue.offer(1);
            queue.offer(2);
            queue.fill(
                    () -> {
                        queue.drain(_ -> {});
                        wasEmpty.add(LoopMailbox.isEmpty(queue));
                        return 3;
                    },
                    1);
            queue.drain(_ -> {});
        }
        assertThat(wasEmpty).hasSize(10).doesNotContain(true);
        assertThat(LoopMailbox.isEmpty(queue)).isTrue();
    }

    @Test
    void doesOnceAtEndOfTurnWhatLettersAskFor() throws InterruptedException {
        List<String> done = new ArrayList<>();
        CountDownLatch ended = new CountDownLatch(1);
        CountDownLatch posted = new CountDownLatch(1);
        loop.execute(() -> pause(posted));
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
    void slowStepsAndWhatTheyAddAreDoneBeforeTheLoopEnds() {
        LoopMailboxes mailboxes = new LoopMailboxes();
        LoopMailbox ending = mailboxes.of(loop);
        AtomicInteger steps = new AtomicInteger();
        Runnable step = new Runnable() {
            @Override
            public void run() {
                if (steps.incrementAndGet() < 1_000) {
                    LockSupport.parkNanos(10_000); // so that one piece is not enough
                    ending.slowly(this);
                }
            }
        };
        loop.submit(() -> ending.slowly(step)).syncUninterruptibly();

        mailboxes.finish();
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        assertThat(steps).hasValue(1_000);
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
    void commitsWhatATurnQueuedBeforeTheTurnEnds() throws InterruptedException {
        List<String> done = new CopyOnWriteArrayList<>();
        CountDownLatch resting = new CountDownLatch(1);
        ShardThread idle = new ShardThread("test-shard");
        idle.start();
        idle.execute(resting::countDown);
        CountDownLatch ended = new CountDownLatch(1);
        assertThat(resting.await(10, TimeUnit.SECONDS)).isTrue();
        await().until(() -> isIdle("test-shard"));

        mailbox.post(() -> {
            mailbox.atEndOfTurn(() -> {
                done.add("flushed");
                ended.countDown();
            });
            idle.execute(1, () -> {
                done.add("worked on " + (loop.inEventLoop() ? "the loop" : "a thread"));
                mailbox.run(() -> done.add("told"));
                done.add("worked");
            });
        });

        assertThat(ended.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(done).containsExactly("worked on the loop", "worked", "told", "flushed");
        idle.stop();
    }

    @Test
    void tellsInOrderWhatAWorkersThreadAndItsHelperSay() throws InterruptedException {
        int count = 20_000;
        List<Integer> told = new ArrayList<>();
        CountDownLatch all = new CountDownLatch(count);
        AtomicInteger next = new AtomicInteger();
        ShardThread worker = new ShardThread("test-shard");
        worker.start();
        Runnable tell = () -> {
            int number = next.getAndIncrement(); // one at a time, so in order
            mailbox.run(() -> {
                told.add(number);
                all.countDown();
            });
        };
        Thread elsewhere = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < count / 2; i++) {
                worker.execute(1, tell);
            }
        });
        for (int i = 0; i < count / 2; i++) {
            mailbox.post(() -> worker.execute(1, tell));
        }

        elsewhere.join();
        assertThat(all.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(told).hasSize(count).isSorted();
        worker.stop();
    }

    private static boolean isIdle(String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals(name) && thread.getState() == Thread.State.TIMED_WAITING);
    }

    @Test
    void dropsLettersWhenLoopIsClosed() {
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();

        mailbox.post(() -> {
            throw new AssertionError("nobody is there");
        });
    }

    private static void pause(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
