package io.tributary.perf.load;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Point-to-point load: pairs of a publisher and a persistent subscriber, QoS 1, MQTT 3.1.1, in a closed loop with a window.
 * Prints messages a second, latency, and the CPU time that the broker's process took for each message.
 *
 * <pre>
 * PairLoad [--host 127.0.0.1] [--port 1883] [--pairs 200] [--window 10] [--payload 62] [--warmup 5] [--seconds 20]
 *          [--pid PID-of-the-broker]
 * </pre>
 */
public final class PairLoad {
    private final Options options;
    private final Tally tally = new Tally();
    private final List<PairClient> publishers = new ArrayList<>();
    private final List<PairClient> subscribers = new ArrayList<>();

    private PairLoad(Options options) {
        this.options = options;
    }

    /** Runs the load with the options of the command line; exits with 1 when a message was lost. */
    public static void main(String[] args) throws Exception {
        boolean lossless = new PairLoad(Options.parse(args)).run();
        System.exit(lossless ? 0 : 1);
    }

    private boolean run() throws Exception {
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        Bootstrap bootstrap = new Bootstrap().group(loops).channel(NioSocketChannel.class);
        for (int pair = 0; pair < options.pairs(); pair++) {
            subscribers.add(connect(bootstrap, pair, false));
        }
        for (int pair = 0; pair < options.pairs(); pair++) {
            publishers.add(connect(bootstrap, pair, true));
        }
        publishers.forEach(PairClient::begin);
        TimeUnit.SECONDS.sleep(options.warmupSeconds());
        Measurement measurement = measure();
        publishers.forEach(PairClient::end);
        boolean drained = awaitDrained();
        System.out.println(measurement.describe());
        System.out.printf(
                Locale.ROOT,
                "published %d, received %d, duplicates %d, out of order %d%s%n",
                tally.published(),
                tally.received(),
                tally.duplicates(),
                tally.outOfOrder(),
                drained ? "" : " - MESSAGES ARE MISSING");
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
        return drained;
    }

    private PairClient connect(Bootstrap bootstrap, int pair, boolean publisher) throws Exception {
        PairClient client = new PairClient(options, tally, pair, publisher);
        bootstrap
                .clone()
                .handler(client)
                .connect(options.host(), options.portOf(publisher ? pair : pair + 1))
                .sync();
        client.ready().get(30, TimeUnit.SECONDS);
        return client;
    }

    private Measurement measure() throws InterruptedException {
        tally.resetLatency();
        long published = tally.acknowledged();
        long received = tally.received();
        Duration brokerCpu = cpuOf(options.pid());
        Duration ownCpu = cpuOf(ProcessHandle.current().pid());
        long started = System.nanoTime();
        TimeUnit.SECONDS.sleep(options.seconds());
        return new Measurement(
                System.nanoTime() - started,
                tally.acknowledged() - published,
                tally.received() - received,
                cpuOf(options.pid()).minus(brokerCpu),
                cpuOf(ProcessHandle.current().pid()).minus(ownCpu),
                tally.latencyMicros(0.5),
                tally.latencyMicros(0.99));
    }

    private boolean awaitDrained() throws InterruptedException {
        for (int i = 0; i < 300 && tally.received() - tally.duplicates() < tally.published(); i++) {
            TimeUnit.MILLISECONDS.sleep(100);
        }
        return tally.received() - tally.duplicates() >= tally.published();
    }

    private static Duration cpuOf(long pid) {
        return ProcessHandle.of(pid)
                .flatMap(process -> process.info().totalCpuDuration())
                .orElse(Duration.ZERO);
    }

    private record Measurement(
            long nanos,
            long published,
            long received,
            Duration brokerCpu,
            Duration ownCpu,
            long p50Micros,
            long p99Micros) {

        String describe() {
            double seconds = nanos / 1e9;
            return String.format(
                    Locale.ROOT,
                    "%.0f msg/s in, %.0f msg/s out; latency p50 %.1f ms, p99 %.1f ms; "
                            + "broker CPU %.2f cores, %.1f us a message; load tool CPU %.2f cores",
                    published / seconds,
                    received / seconds,
                    p50Micros / 1e3,
                    p99Micros / 1e3,
                    brokerCpu.toNanos() / (double) nanos,
                    brokerCpu.toNanos() / 1e3 / Math.max(1, received),
                    ownCpu.toNanos() / (double) nanos);
        }
    }
}
