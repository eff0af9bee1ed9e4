package io.tributary.perf.run;

import io.tributary.perf.client.Crew;
import io.tributary.perf.client.RunClock;
import io.tributary.perf.judge.Count;
import io.tributary.perf.judge.Counts;
import io.tributary.perf.result.Sample;
import io.tributary.perf.run.Steps.Interval;
import io.tributary.perf.scenario.Draw;
import io.tributary.perf.scenario.Group;
import io.tributary.perf.scenario.PublishOptions;
import io.tributary.perf.scenario.PublishOptions.Pacing;
import io.tributary.perf.scenario.Scenario;
import io.tributary.perf.scenario.Step;
import io.tributary.perf.scenario.Step.Action;
import io.tributary.perf.scenario.Step.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Goes through the steps of a scenario with a crew, and measures each. For one thread. */
final class Conductor {
    private static final long POLL_MILLIS = 5;
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final Duration FOREVER = Duration.ofDays(1);
    /** So many times between two messages of the slowest publishers may pass besides without a stall. */
    private static final int INTERVALS = 10;

    private final Scenario scenario;
    private final Crew crew;
    private final Watched watched;
    private final Consumer<Fault> faults;
    private final RunClock clock = new RunClock();
    private final List<Interval> intervals = new ArrayList<>();
    private final List<Interval> measured = new ArrayList<>();
    private final List<String> remarks = new ArrayList<>();

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
                crew.measure(step.measured() || measuresAll());
                Fault fault = step.fault();
                if (fault != null) {
                    faults.accept(fault);
                }
                stall(step, true);
                perform(i);
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
        return Steps.together("measured", measuresAll() ? intervals : measured);
    }

    private boolean measuresAll() {
        return scenario.steps().stream().noneMatch(Step::measured);
    }

    /** What to know of steps that did not end as they were to. */
    List<String> remarks() {
        return remarks;
    }

    private void stall(Step step, boolean stalled) {
        if (!step.stalled().isEmpty()) {
            crew.stall(step.stalled(), stalled);
        }
    }

    /** @param index of the step: others may be equal to it */
    private void perform(int index) {
        Step step = scenario.steps().get(index);
        switch (step.action()) {
            case CONNECT -> crew.connect(step.groups());
            case VISIT -> crew.visit(step.groups());
            case DISCONNECT -> crew.disconnect(step.groups(), false);
            case DROP -> crew.disconnect(step.groups(), true);
            case PUBLISH -> publish(index);
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

    private void publish(int index) {
        Step step = scenario.steps().get(index);
        if (index == 0 || !goesOn(index - 1) || scenario.steps().get(index - 1).action() != Action.PUBLISH) {
            crew.begin(step.groups(), step.messages());
        }
        if (step.messages() == 0) {
            await(() -> false, step.length());
        } else {
            Duration limit = step.length().isZero() ? FOREVER : step.length();
            Progress progress = new Progress(patience(step));
            await(() -> crew.isDone(step.groups()) || progress.hasStalled(), limit);
            if (!crew.isDone(step.groups())) {
                remarks.add("Step " + step.name()
                        + " was ended before all of its messages were published and acknowledged.");
            }
        }
    }

    /** For how long nothing may come while clients have messages to publish: longer with slow rates. */
    private Duration patience(Step step) {
        double slowest = scenario.groups().stream()
                .filter(group -> step.groups().isEmpty() || step.groups().contains(group.name()))
                .map(Group::publish)
                .filter(Objects::nonNull)
                .mapToDouble(Conductor::secondsBetween)
                .max()
                .orElse(0);
        return scenario.limits().stall().plusMillis((long) (1_000 * INTERVALS * slowest));
    }

    private static double secondsBetween(PublishOptions publish) {
        Draw rate = publish.rate();
        return rate == null ? 0 : (publish.pacing() == Pacing.BURST ? publish.burst() : 1) / rate.mean();
    }

    private void drain() {
        crew.end(List.of());
        Progress progress = new Progress(scenario.limits().stall());
        await(() -> isDrained(crew.counts()) || progress.hasStalled(), FOREVER);
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
        private final Duration limit;
        private long last = -1;
        private long since = System.nanoTime();
        private long lookedAt = since - LOOK_NANOS;

        Progress(Duration limit) {
            this.limit = limit;
        }

        /** To be asked often: it looks now and then. */
        boolean hasStalled() {
            long now = System.nanoTime();
            if (now - lookedAt < LOOK_NANOS) {
                return false;
            }
            lookedAt = now;
            Counts counts = crew.counts();
            long done = counts.get(Count.RECEIVED) + counts.get(Count.ACKNOWLEDGED);
            if (done != last) {
                last = done;
                since = now;
            }
            return now - since > limit.toNanos();
        }
    }
}
