package io.tributary.broker.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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

    /** Each step takes a third of a millisecond and adds the next, as a search of many topics does. */
    @Test
    void socketsAreReadBetweenWhenStepsAddSteps() throws IOException {
        try (EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory())) {
            EventLoop io = group.next();
            InetSocketAddress address = echo(group);
            Endless steps = new Endless(new LoopShare(io, System::nanoTime));
            List<Integer> between = new ArrayList<>();
            try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
                socket.setTcpNoDelay(true);
                io.execute(steps);
                for (int i = 0; i < 21; i++) {
                    int before = steps.done.get();
                    socket.getOutputStream().write(1);
                    assertThat(socket.getInputStream().read()).isEqualTo(1);
                    between.add(steps.done.get() - before);
                }
            }
            steps.ended = true;
            Collections.sort(between);
            assertThat(between.get(10))
                    .as("steps while a byte went there and back: %s", between)
                    .isLessThan(64);
        }
    }

    private static InetSocketAddress echo(EventLoopGroup group) {
        return (InetSocketAddress) new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext context, Object message) {
                        var _ = context.writeAndFlush(message);
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), 0)
                .syncUninterruptibly()
                .channel()
                .localAddress();
    }

    /** A step that adds the next. */
    private static final class Endless implements Runnable {
        private final LoopShare share;
        private final AtomicInteger done = new AtomicInteger();
        private volatile boolean ended;

        Endless(LoopShare share) {
            this.share = share;
        }

        @Override
        public void run() {
            int _ = done.incrementAndGet();
            for (long end = System.nanoTime() + 333_333; System.nanoTime() < end; ) {
                Thread.onSpinWait();
            }
            if (!ended) {
                share.run(this);
            }
        }
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
