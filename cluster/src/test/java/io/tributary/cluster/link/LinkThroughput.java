package io.tributary.cluster.link;

import com.sun.management.OperatingSystemMXBean;
import io.tributary.persistence.contract.Waiting;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures how many small frames a link carries, and what each costs: two nodes in one process, each with one event
 * loop, and one thread that sends. Arguments: seconds a round, and bytes a frame. For people, not for the build.
 */
final class LinkThroughput {
    private static final int ROUNDS = 5;

    private LinkThroughput() {}

    public static void main(String[] arguments) throws InterruptedException {
        int seconds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 5;
        int frameBytes = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 100;
        Counter received = new Counter();
        NodeId a = new NodeId("a", 1);
        NodeId b = new NodeId("b", 1);
        LinkConfig config = LinkConfig.defaults("cluster", TestNode.SECRET, "127.0.0.1", 0);
        OpenLinks open = new OpenLinks();
        NodeLinks sender = new NodeLinks(a, config, LinkLayer.PLAIN, open, new Counter(), LinkRecorder.NONE);
        NodeLinks receiver = new NodeLinks(b, config, LinkLayer.PLAIN, new OpenLinks(), received, LinkRecorder.NONE);
        sender.peers(Map.of(b, receiver.listen()));
        receiver.peers(Map.of(a, sender.listen()));
        Waiting.until(() -> open.send(b, new byte[1]));
        Thread.ofPlatform().daemon().name("sender").start(() -> flood(open, b, frameBytes));
        for (int round = 0; round < ROUNDS; round++) {
            measure(seconds, received.frames);
        }
        System.exit(0);
    }

    private static void flood(OpenLinks links, NodeId to, int frameBytes) {
        while (true) {
            if (!links.send(to, new byte[frameBytes])) {
                LockSupport.parkNanos(1_000_000);
            }
        }
    }

    private static void measure(int seconds, AtomicLong frames) throws InterruptedException {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long framesBefore = frames.get();
        long cpuBefore = system.getProcessCpuTime();
        long senderBefore = cpuOf("sender");
        long linksBefore = cpuOf("link");
        long start = System.nanoTime();
        Thread.sleep(seconds * 1_000L);
        double elapsed = (System.nanoTime() - start) / 1e9;
        long count = frames.get() - framesBefore;
        System.out.printf(
                Locale.ROOT,
                "%,.0f frames/s; CPU a frame: process %.0f ns, sending thread %.0f ns, both event loops %.0f ns%n",
                count / elapsed,
                (double) (system.getProcessCpuTime() - cpuBefore) / count,
                (double) (cpuOf("sender") - senderBefore) / count,
                (double) (cpuOf("link") - linksBefore) / count);
    }

    private static long cpuOf(String threads) {
        ThreadMXBean bean = ManagementFactory.getThreadMXBean();
        long sum = 0;
        for (ThreadInfo thread : bean.getThreadInfo(bean.getAllThreadIds())) {
            if (thread != null && thread.getThreadName().startsWith(threads)) {
                sum += bean.getThreadCpuTime(thread.getThreadId());
            }
        }
        return sum;
    }

    private static final class Counter implements LinkReceiver {
        private final AtomicLong frames = new AtomicLong();

        @Override
        public void onUp(Link link) {}

        @Override
        public void onFrame(Link link, byte[] frame) {
            frames.lazySet(frames.get() + 1);
        }

        @Override
        public void onDown(Link link) {}
    }
}
