package io.tributary.perf.client;

import io.netty.channel.EventLoop;
import io.tributary.perf.judge.Count;
import io.tributary.perf.judge.Counts;
import io.tributary.perf.judge.Metric;
import io.tributary.perf.judge.Snapshot;
import io.tributary.perf.judge.Tally;
import io.tributary.perf.machine.TimerSlack;
import io.tributary.perf.scenario.Plan;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * An event loop of the tool, and what the clients on it share. All but the methods that say so are for the loop itself.
 */
final class LoadLoop {
    private static final long LAG_PROBE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final EventLoop loop;
    private final Plan plan;
    private final RunClock clock;
    private final Audience audience;
    private final Credits credits;
    private final Tally tally = new Tally();
    private final TurnEnd turnEnd;
    private final Pacer pacer;
    private final RandomGenerator random;
    private final List<Silence> silences = new ArrayList<>();
    private final List<Publisher> paced = new ArrayList<>();
    private boolean measures;
    private volatile Thread thread = Thread.currentThread();

    /** With the loop's own source of random numbers, so that a run can be repeated. */
    LoadLoop(EventLoop loop, Plan plan, RunClock clock, Audience audience, Credits credits, RandomGenerator random) {
        this.loop = loop;
        this.plan = plan;
        this.clock = clock;
        this.audience = audience;
        this.credits = credits;
        this.random = random;
        turnEnd = new TurnEnd(loop);
        pacer = new Pacer(loop, clock);
    }

    /** Has the loop be as little late as it can, and begins to measure how late it is. From any thread. */
    void begin() {
        loop.execute(() -> {
            thread = Thread.currentThread();
            TimerSlack.minimize(); // where it stays, the send delay shows it
            probeLag();
        });
    }

    private void probeLag() {
        long dueNanos = System.nanoTime() + LAG_PROBE_NANOS;
        var _ = loop.schedule(
                () -> {
                    tally.record(Metric.LOOP_LAG, System.nanoTime() - dueNanos);
                    probeLag();
                },
                LAG_PROBE_NANOS,
                TimeUnit.NANOSECONDS);
    }

    /** The event loop itself; safe for any thread. */
    EventLoop eventLoop() {
        return loop;
    }

    /** The thread that it runs on, once it runs. For any thread. */
    Thread thread() {
        return thread;
    }

    /** What was counted, soon. For any thread. */
    Future<Counts> counts() {
        return loop.submit(tally::counts);
    }

    /** What was counted and measured, soon; distributions begin anew. For any thread. */
    Future<Snapshot> snapshot() {
        return loop.submit(() -> {
            silences.forEach(silence -> silence.take(tally, clock.nanos()));
            paced.forEach(publisher -> publisher.countDue(clock.nanos()));
            return tally.snapshot();
        });
    }

    /** Has each snapshot tell for how long a subscriber got nothing. */
    void watch(Silence silence) {
        silences.add(silence);
    }

    /** Has each snapshot count what is due of a publisher with a rate, sent or not. */
    void watch(Publisher publisher) {
        paced.add(publisher);
    }

    /** Whether what is published from now on is published in a measured step. */
    void measure(boolean isMeasured) {
        measures = isMeasured;
    }

    boolean measures() {
        return measures;
    }

    Plan plan() {
        return plan;
    }

    RunClock clock() {
        return clock;
    }

    Audience audience() {
        return audience;
    }

    Credits credits() {
        return credits;
    }

    Tally tally() {
        return tally;
    }

    TurnEnd turnEnd() {
        return turnEnd;
    }

    Pacer pacer() {
        return pacer;
    }

    RandomGenerator random() {
        return random;
    }

    void count(Count what) {
        tally.count(what);
    }
}
