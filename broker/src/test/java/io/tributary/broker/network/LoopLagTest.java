package io.tributary.broker.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.local.LocalIoHandler;
import io.netty.util.concurrent.Promise;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LoopLagTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, LocalIoHandler.newFactory());
    private final LoopLag lag = new LoopLag(loops);
    private final CountDownLatch released = new CountDownLatch(1);

    @AfterEach
    void close() {
        released.countDown();
        loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    @Test
    void isNothingBeforeItBegins() {
        assertThat(lag.nanos()).isZero();
    }

    /** One of two loops does not run: the delay grows while it stands still, and is forgotten a second after. */
    @Test
    void growsWhileOneLoopStandsStillAndIsForgotten() {
        lag.begin();
        EventLoop loop = loops.next();
        loop.execute(this::awaitRelease);
        await().atMost(LIMIT).until(() -> lag.nanos() > Duration.ofSeconds(1).toNanos());
        long before = lag.nanos();
        await().atMost(LIMIT).until(() -> lag.nanos() > before);
        released.countDown();
        await().atMost(LIMIT).until(() -> lag.nanos() < Duration.ofMillis(200).toNanos());
    }

    /** A third of a second after a long stop it is still known, though the task was due many times meanwhile. */
    @Test
    void isKnownAfterTheLoopHasGoneOn() throws Exception {
        lag.begin();
        EventLoop loop = loops.next();
        Promise<Long> seen = loop.newPromise();
        loop.execute(this::awaitRelease);
        loop.execute(() -> {
            var _ = loop.schedule(() -> seen.trySuccess(lag.nanos()), 300, TimeUnit.MILLISECONDS);
        });
        await().atMost(LIMIT).until(() -> lag.nanos() > Duration.ofSeconds(2).toNanos());
        released.countDown();
        assertThat(seen.get(LIMIT.toSeconds(), TimeUnit.SECONDS))
                .isGreaterThan(Duration.ofSeconds(2).toNanos());
    }

    private void awaitRelease() {
        try {
            released.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
