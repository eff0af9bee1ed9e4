package io.tributary.perf.run;

import io.tributary.perf.client.Crew;
import io.tributary.perf.client.RunClock;
import io.tributary.perf.judge.Count;
import io.tributary.perf.judge.Counts;
import io.tributary.perf.result.Sample;
import io.tributary.perf.run.Steps.Interval;
import io.tributary.perf.scenario.Scenario;
import io.tributary.perf.scenario.Step;
import io.tributary.perf.scenario.Step.Action;
import io.tributary.perf.scenario.Step.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Goes through the steps of a scenario with a crew, and measures each. For one thread. */
final class Conductor {
    private static final long POLL_MILLIS = 5;

    private final Scenario scenario;
    private final Crew crew;
    private final Watched watched;
    private final Consumer<Fault> faults;
    private final RunClock clock = new RunClock();
    private final List<Interval> intervals = new ArrayList<>();
    private final List<Interval> measured = new ArrayList<>();

    /** @param faults has a fault happen to the brokers */
    Conductor(Scenario scenario, Crew crew, Watched watched, Consumer<Fault> faults) {
        this.scenario = scenario;
        this.crew = crew;
        this.watched = watched;
        this.faults = faults;
    }

    /** Does all of it; answers what was seen every second. */
    List<Sample> run(Consumer<Sample> listener) {
        try (Watch watch = new Watch(crew, watched, listener)) {
            Mark begin = Mark.take(clock.nanos(), crew, watched);
            for (int i = 0; i < scenario.steps().size(); i++) {
                Step step = scenario.steps().get(i);
                watch.step(step.name());
                Fault fault = step.fault();
                if (fault != null) {
                    faults.accept(fault);
                }
                stall(step, true);
                perform(step);
                stall(step, false);
                Mark end = Mark.take(clock.nanos(), crew, watched);
                Interval interval = Steps.between(step.name(), begin, end);
                begin = end; // so that nothing falls between two steps
                intervals.add(interval);
                if (step.measured()) {
                    measured.add(interval);
                }
                if (step.action() == Action.PUBLISH && !goesOn(i)) {
                    crew.end(step.groups());
                }
            }
            return watch.samples();
        }
    }

    /** All steps. */
    List<Interval> intervals() {
        return intervals;
    }

    /** Those that count, as one; all where none was marked. */
    Interval measured() {
        return Steps.together("measured", measured.isEmpty() ? intervals : measured);
    }

    private void stall(Step step, boolean stalled) {
        if (!step.stalled().isEmpty()) {
            crew.stall(step.stalled(), stalled);
        }
    }

    private void perform(Step step) {
        switch (step.action()) {
            case CONNECT -> crew.connect(step.groups());
            case VISIT -> crew.visit(step.groups());
            case DISCONNECT -> crew.disconnect(step.groups(), false);
            case DROP -> crew.disconnect(step.groups(), true);
            case PUBLISH -> publish(step);
            case DRAIN -> drain();
            case HOLD -> await(() -> false, step.length());
        }
    }

    /** Whether the step after this one has the same clients publish on. */
    private boolean goesOn(int index) {
        if (index + 1 == scenario.steps().size()) {
            return false;
        }
        Step step = scenario.steps().get(index);
        Step next = scenario.steps().get(index + 1);
        return step.messages() == 0
                && next.action() == Action.PUBLISH
                && next.messages() == 0
                && next.groups().equals(step.groups());
    }

    private void publish(Step step) {
        int index = scenario.steps().indexOf(step);
        if (index == 0 || !goesOn(index - 1) || scenario.steps().get(index - 1).action() != Action.PUBLISH) {
            crew.begin(step.groups(), step.messages());
        }
        if (step.messages() == 0) {
            await(() -> false, step.length());
        } else {
            Duration limit = step.length().isZero() ? Duration.ofDays(1) : step.length();
            await(() -> crew.isDone(step.groups()), limit);
        }
    }

    private void drain() {
        crew.end(List.of());
        Progress progress = new Progress();
        await(
                () -> {
                    Counts counts = crew.counts();
                    return isDrained(counts) || progress.hasStalled(counts);
                },
                Duration.ofDays(1));
    }

    private static boolean isDrained(Counts counts) {
        return counts.lost() == 0 && counts.unacknowledged() == 0;
    }

    private static void await(BooleanSupplier condition, Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        try {
            while (!condition.getAsBoolean()) {
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    return;
                }
                TimeUnit.NANOSECONDS.sleep(Math.min(left, TimeUnit.MILLISECONDS.toNanos(POLL_MILLIS)));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RunException("interrupted", e);
        }
    }

    /** Whether anything comes. */
    private final class Progress {
        private long last = -1;
        private long since = System.nanoTime();

        boolean hasStalled(Counts counts) {
            long now = counts.get(Count.RECEIVED) + counts.get(Count.ACKNOWLEDGED);
            if (now != last) {
                last = now;
                since = System.nanoTime();
            }
            return System.nanoTime() - since > scenario.limits().stall().toNanos();
        }
    }
}
