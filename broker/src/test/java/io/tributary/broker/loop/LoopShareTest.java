package io.tributary.broker.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LoopShareTest {
    private final AtomicLong nanos = new AtomicLong();
    private final EventLoop loop = new DefaultEventLoop();
    private final LoopShare share = new LoopShare(loop, nanos::get);
    private final List<String> log = new CopyOnWriteArrayList<>();
    private final CountDownLatch done = new CountDownLatch(5);

    @AfterEach
    void close() {
        loop.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    /** Each takes a quarter of a millisecond, and a message comes with the first one. */
    @Test
    void otherWorkComesBetweenWhenStepsTakeLong() throws InterruptedException {
        loop.execute(() -> {
            for (int i = 0; i < 5; i++) {
                share.run(this::step);
            }
        });

        assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(log).containsExactly("step", "step", "message", "step", "step", "step");
    }

    private void step() {
        if (log.isEmpty()) {
            loop.execute(() -> log.add("message"));
        }
        log.add("step");
        nanos.addAndGet(TimeUnit.MICROSECONDS.toNanos(250));
        done.countDown();
    }
}
