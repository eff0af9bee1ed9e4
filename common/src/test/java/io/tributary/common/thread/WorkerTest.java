package io.tributary.common.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WorkerTest {
    private final Queued queued = new Queued();

    @AfterEach
    void stop() throws InterruptedException {
        Turn.begin(() -> false); // the next test has this thread, too
        queued.stop();
    }

    @Test
    void threadDoesWhatThreadsWithoutTurnsQueue() throws InterruptedException {
        queued.start();
        for (int i = 0; i < 200; i++) {
            CountDownLatch done = new CountDownLatch(1);
            queued.add(done::countDown);
            assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(queued.doneBy).containsOnly(queued.thread);
    }

    @Test
    void callerDoesItAtTheEndOfItsTurnWhenTheThreadRests() throws InterruptedException {
        Turn turn = begunTurn();
        queued.start();
        queued.awaitRest();
        AtomicInteger done = new AtomicInteger();

        queued.add(done::incrementAndGet);
        queued.add(done::incrementAndGet);
        assertThat(done).hasValue(0);
        assertThat(turn.isDue()).isTrue();
        turn.end();

        assertThat(done).hasValue(2);
        assertThat(queued.doneBy).containsExactly(Thread.currentThread(), Thread.currentThread());
        assertThat(turn.isDue()).isFalse();
    }

    @Test
    void threadIsWokenWhenThereIsMoreThanALittle() throws InterruptedException {
        Turn turn = begunTurn();
        queued.start();
        queued.awaitRest();
        queued.isLittle = false;
        CountDownLatch done = new CountDownLatch(1);

        queued.add(done::countDown);
        turn.end();

        assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(queued.doneBy).containsExactly(queued.thread);
    }

    @Test
    void threadDoesWhatAHelperLeaves() throws InterruptedException {
        Turn turn = begunTurn();
        queued.start();
        queued.awaitRest();
        CountDownLatch done = new CountDownLatch(Queued.LITTLE + 1);

        for (int i = 0; i <= Queued.LITTLE; i++) {
            queued.add(done::countDown);
        }
        turn.end();

        assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(queued.doneBy.subList(0, Queued.LITTLE)).containsOnly(Thread.currentThread());
        assertThat(queued.doneBy.getLast()).isSameAs(queued.thread);
    }

    @Test
    void nobodyHelpsAThreadThatHasNotBegun() {
        Turn turn = begunTurn();

        queued.add(() -> {});

        assertThat(turn.isDue()).isFalse();
        queued.start();
    }

    @Test
    void threadIsWokenWhenTheCallersTurnWillNotEnd() throws InterruptedException {
        Turn.begin(() -> false);
        queued.start();
        queued.awaitRest();
        CountDownLatch done = new CountDownLatch(1);

        queued.add(done::countDown);

        assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void oneAtATimeDoesAllInOrderWhenManyHelp() throws InterruptedException {
        int threads = 4;
        int each = 20_000;
        List<List<Integer>> seen = new ArrayList<>();
        int[] sum = new int[1]; // plain on purpose: each must see what those before it have done
        CountDownLatch done = new CountDownLatch(threads * each);
        queued.start();
        List<Thread> helpers = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            List<Integer> own = new ArrayList<>();
            seen.add(own);
            helpers.add(Thread.ofPlatform().start(() -> {
                Turn turn = begunTurn();
                for (int i = 0; i < each; i++) {
                    int number = i;
                    queued.add(() -> {
                        own.add(number);
                        sum[0]++;
                        done.countDown();
                    });
                    if (i % 3 == 0) {
                        turn.end();
                    }
                }
                turn.end();
            }));
        }
        for (Thread helper : helpers) {
            helper.join();
        }

        assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
        queued.stop();
        assertThat(sum[0]).isEqualTo(threads * each);
        assertThat(seen).allSatisfy(own -> assertThat(own).hasSize(each).isSorted());
        assertThat(queued.doneBy.stream().distinct().count()).isGreaterThan(1);
    }

    private static Turn begunTurn() {
        return Turn.begin(() -> true);
    }

    /** A queue with a thread. */
    private static final class Queued implements Worker.Work {
        private static final int LITTLE = 5;

        private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
        private final List<Thread> doneBy = new ArrayList<>(); // only at work
        private final CountDownLatch rested = new CountDownLatch(1);
        private final Thread thread = new Thread(this::run);
        private final Worker worker = new Worker(thread, this);
        private volatile boolean stopping;
        private volatile boolean isLittle = true;

        void start() {
            thread.start();
        }

        void stop() throws InterruptedException {
            stopping = true;
            worker.wake();
            thread.join();
        }

        void add(Runnable task) {
            tasks.add(task);
            worker.queued();
        }

        void awaitRest() throws InterruptedException {
            rested.await();
            while (thread.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
        }

        private void run() {
            while (true) {
                Runnable task = tasks.poll();
                if (task != null) {
                    doneBy.add(thread);
                    task.run();
                } else if (stopping) {
                    return;
                } else {
                    rested.countDown();
                    worker.rest(Long.MAX_VALUE);
                }
            }
        }

        @Override
        public boolean isWaiting() {
            return !tasks.isEmpty();
        }

        @Override
        public boolean isLittle() {
            return isLittle;
        }

        @Override
        public void doLittle() {
            for (int i = 0; i < LITTLE; i++) {
                Runnable task = tasks.poll();
                if (task == null) {
                    return;
                }
                doneBy.add(Thread.currentThread());
                task.run();
            }
        }
    }
}
