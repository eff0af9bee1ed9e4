package io.tributary.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ShardThreadTest {
    private final ShardThread thread = new ShardThread("test-shard");
    private final List<Integer> run = new ArrayList<>();

    @AfterEach
    void stop() {
        thread.stop();
    }

    @Test
    void tasksRunInOrder() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        thread.start();
        for (int i = 0; i < 1000; i++) {
            int number = i;
            thread.execute(() -> run.add(number));
        }
        thread.execute(done::countDown);
        done.await();
        assertThat(run).isEqualTo(IntStream.range(0, 1000).boxed().toList());
    }

    @Test
    void threadWakesUpWhenItHadNothingToDo() throws InterruptedException {
        thread.start();
        for (int i = 0; i < 200; i++) {
            CountDownLatch done = new CountDownLatch(1);
            thread.execute(done::countDown);
            done.await();
        }
    }

    @Test
    void whatHasTimeRunsInItsTurnAndAlsoWhenNothingFollows() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(3);
        thread.start();
        for (int i = 0; i < 3; i++) {
            int number = i;
            Runnable task = () -> {
                run.add(number);
                done.countDown();
            };
            if (i == 1) {
                thread.execute(task);
            } else {
                thread.executeSoon(task);
            }
        }
        done.await();
        assertThat(run).containsExactly(0, 1, 2);
    }

    /** A turn is over after a millisecond, which may be before the second task. */
    @Test
    void turnEndsOnceWhenTheTasksThatWaitAreDone() {
        thread.start();
        await().until(() -> orderOfTwoTasksAndAnEnd().equals(List.of(0, 1, 2)));
    }

    private List<Integer> orderOfTwoTasksAndAnEnd() throws InterruptedException {
        List<Integer> order = new ArrayList<>();
        CountDownLatch done = new CountDownLatch(3);
        thread.execute(() -> {
            thread.executeSoon(() -> note(1, order, done));
            thread.atEndOfTurn(() -> note(2, order, done));
            note(0, order, done);
        });
        done.await();
        return order;
    }

    private static void note(int number, List<Integer> order, CountDownLatch done) {
        order.add(number);
        done.countDown();
    }

    @Test
    void turnEndsThoughMoreTasksWaitAndSomeFail() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        thread.execute(() -> {
            thread.atEndOfTurn(() -> {
                thread.atEndOfTurn(() -> run.add(-2));
                run.add(-1);
                throw new IllegalStateException("on purpose");
            });
            throw new IllegalStateException("on purpose");
        });
        for (int i = 0; i < 1000; i++) {
            int number = i;
            thread.execute(() -> run.add(number));
        }
        thread.execute(done::countDown);
        thread.start();
        done.await();
        assertThat(run).hasSize(1002);
        assertThat(run.indexOf(-1)).isLessThan(64);
        assertThat(run.indexOf(-2)).isEqualTo(run.indexOf(-1) + 1);
    }

    @Test
    void threadGoesOnWhenATaskFails() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        thread.start();
        thread.execute(() -> {
            throw new IllegalStateException("on purpose");
        });
        thread.execute(done::countDown);
        done.await();
    }

    @Test
    void queuedTasksRunWhenStopped() {
        thread.start();
        for (int i = 0; i < 1000; i++) {
            int number = i;
            thread.execute(() -> run.add(number));
        }
        thread.stop();
        assertThat(run).hasSize(1000);
    }

    @Test
    void tasksOfManyThreadsAllRun() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(8_000);
        thread.start();
        for (int i = 0; i < 8; i++) {
            Thread.ofPlatform().start(() -> {
                for (int task = 0; task < 1000; task++) {
                    thread.execute(done::countDown);
                }
            });
        }
        done.await();
    }
}
