package io.tributary.perf.run;

import io.tributary.perf.client.Crew;
import io.tributary.perf.client.CrewException;
import io.tributary.perf.client.LocalCrew;
import io.tributary.perf.client.RunClock;
import io.tributary.perf.judge.Counts;
import io.tributary.perf.judge.SourceCounts;
import io.tributary.perf.machine.ThisMachine;
import io.tributary.perf.result.Deliveries;
import io.tributary.perf.result.Growth;
import io.tributary.perf.result.Machine;
import io.tributary.perf.result.RunResult;
import io.tributary.perf.result.RunResult.TargetFacts;
import io.tributary.perf.result.Sample;
import io.tributary.perf.result.StepResult;
import io.tributary.perf.scenario.Group;
import io.tributary.perf.scenario.Plan;
import io.tributary.perf.scenario.PlannedRun;
import io.tributary.perf.scenario.Scenario;
import io.tributary.perf.scenario.Share;
import io.tributary.perf.scenario.Step.Fault;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One run of a scenario against brokers that are there, from the first connection to the result. */
public final class Run {
    private static final int RUNS = 1 << 16;
    private static final int LOSERS_SHOWN = 10;
    /** Of {@link Watched#counted}. */
    static final String QUEUED = "messages queued";

    private static final String DROPPED = "messages dropped";

    private final PlannedRun planned;
    private final Scenario scenario;
    private final TargetFacts target;
    private final List<InetSocketAddress> addresses;
    private final Watched watched;
    private final Consumer<Fault> faults;
    private final boolean brokersStay;
    private final String commit;

    /**
     * A run that has not begun.
     *
     * @param addresses of the brokers
     * @param watched the processes that are measured
     * @param faults has a fault happen to the brokers
     * @param brokersStay whether they run on afterwards, so that sessions are to be ended
     * @param commit of the tool
     */
    public Run(
            PlannedRun planned,
            TargetFacts target,
            List<InetSocketAddress> addresses,
            Watched watched,
            Consumer<Fault> faults,
            boolean brokersStay,
            String commit) {
        this.planned = planned;
        this.scenario = planned.scenario();
        this.target = target;
        this.addresses = List.copyOf(addresses);
        this.watched = watched;
        this.faults = faults;
        this.brokersStay = brokersStay;
        this.commit = commit;
    }

    private void checkBrokers() {
        for (Group group : scenario.groups()) {
            if (group.brokers().stream().anyMatch(broker -> broker > addresses.size())) {
                throw new RunException("group " + group.name() + " is to take the brokers " + group.brokers()
                        + ", and there are " + addresses.size());
            }
        }
    }

    /**
     * Carries it out.
     *
     * @param runners processes that share the clients; null for this one alone
     * @param listener is told what goes on every second, from another thread
     */
    public RunResult perform(@Nullable Runners runners, Consumer<Sample> listener) {
        checkBrokers();
        int run = ThreadLocalRandom.current().nextInt(RUNS);
        Plan plan = new Plan(scenario, run, Share.ALL);
        String started = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        try (Crew crew = runners == null
                ? new LocalCrew(plan, Share.ALL, addresses, new RunClock())
                : runners.crew(planned, run, addresses)) {
            Conductor conductor = new Conductor(scenario, crew, watched, faults);
            List<Sample> samples = conductor.run(listener);
            return result(plan, crew, conductor, samples, started, runners);
        }
    }

    /** What a limit of queues is to be compared with. */
    private static List<String> mostQueued(List<Sample> samples) {
        return samples.stream()
                .flatMap(sample -> Optional.ofNullable(sample.counts().get(QUEUED)).stream())
                .max(Comparator.naturalOrder())
                .filter(most -> most > 0)
                .map(most -> "At most " + String.format(Locale.ROOT, "%,d", most) + " messages were queued at once.")
                .stream()
                .toList();
    }

    /**
     * What the broker counts as dropped in the run; null where it does not say, or counted from 0 again, as after a
     * restart.
     */
    static @Nullable Long dropped(List<Sample> samples) {
        List<Long> counts = samples.stream()
                .map(sample -> sample.counts().get(DROPPED))
                .filter(Objects::nonNull)
                .toList();
        for (int i = 1; i < counts.size(); i++) {
            if (counts.get(i) < counts.get(i - 1)) {
                return null;
            }
        }
        return counts.isEmpty() ? null : Long.valueOf(counts.getLast() - counts.getFirst());
    }

    /** A session that stays costs whoever uses the broker next: it gets all messages of the same topics. */
    private static List<String> endSessions(Crew crew) {
        try {
            crew.endSessions();
            return List.of();
        } catch (CrewException e) {
            return List.of("Sessions of this run may be left at the broker: " + e.getMessage() + ".");
        }
    }

    private RunResult result(
            Plan plan,
            Crew crew,
            Conductor conductor,
            List<Sample> samples,
            String started,
            @Nullable Runners runners) {
        Machine machine = ThisMachine.describe();
        StepResult measured = conductor.measured().result(machine.cores());
        Counts total = crew.counts();
        SourceCounts sources = crew.sources();
        List<Integer> losers = sources.losers();
        List<Growth> growth = Slopes.of(samples);
        List<StepResult> steps = conductor.intervals().stream()
                .map(interval -> interval.result(machine.cores()))
                .toList();
        List<String> remarks = new ArrayList<>(Bottleneck.remarks(scenario, measured, machine.cores()));
        remarks.addAll(Levelling.remarks(scenario, samples));
        remarks.addAll(Slopes.remarks(growth));
        remarks.addAll(Silences.remarks(scenario, steps));
        remarks.addAll(mostQueued(samples));
        remarks.addAll(conductor.remarks());
        remarks.addAll(Incidents.late(measured, Deliveries.of(total.asMap()).missing()));
        remarks.addAll(Incidents.remarks(total));
        if (brokersStay) {
            remarks.addAll(endSessions(crew));
        }
        String label = planned.label();
        return new RunResult(
                label.isEmpty() ? scenario.name() : scenario.name() + " " + label,
                started,
                commit,
                crew.own().size(),
                runners == null ? 0 : runners.clockErrorMillis(),
                machine,
                target,
                planned.shown(),
                Bottleneck.refusals(scenario, measured),
                remarks,
                measured,
                total.asMap(),
                sources.lost(),
                scenario.mayDrop() ? dropped(samples) : null,
                losers.size(),
                losers.stream()
                        .limit(LOSERS_SHOWN)
                        .map(source -> plan.nameOf(source) + ": " + sources.lost(source) + " lost")
                        .toList(),
                steps,
                samples,
                growth);
    }
}
