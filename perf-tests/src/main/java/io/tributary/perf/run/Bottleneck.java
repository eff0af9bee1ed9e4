package io.tributary.perf.run;

import io.tributary.perf.judge.Count;
import io.tributary.perf.judge.Metric;
import io.tributary.perf.result.Distribution;
import io.tributary.perf.result.StepResult;
import io.tributary.perf.scenario.Limits;
import io.tributary.perf.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Tells whether a run says anything about the broker, or only about the tool: whether what was to be offered was
 * offered, and nothing but the broker was in the way.
 */
final class Bottleneck {
    /** The share of messages that may be late by the tool's own fault, or not offered at all. */
    private static final double TOLERATED = 0.01;

    /** From this share on somebody else on the machine is worth a remark. */
    private static final double OTHERS = 0.05;

    /** From this share on a loop of the tool may be what limits a closed loop, though others keep the machine busy. */
    private static final double LOOP_BUSY = 0.85;

    /** Below this share of what was to come, figures for each message that came are of others, too. */
    private static final double ALL = 0.95;

    private Bottleneck() {}

    /** Why the figures are not to be reported; empty if they are. */
    static List<String> refusals(Scenario scenario, StepResult measured) {
        List<String> refusals = new ArrayList<>();
        Limits limits = scenario.limits();
        if (measured.busiestLoop() >= limits.loopBusy() && hasRoom(measured, limits)) {
            refusals.add(String.format(
                    Locale.ROOT,
                    "an event loop of the load tool was busy %.0f %% of the time while %.0f %% of the machine was idle:"
                            + " the tool was the bottleneck; give it more --set threads=N or --runners N",
                    100 * measured.busiestLoop(),
                    100 * (1 - measured.machineBusy())));
        }
        if (scenario.isOpenLoop()) {
            checkRate(limits, measured, refusals);
        }
        return refusals;
    }

    /** With all processors busy nobody can tell who was in whose way; then the rule does not hold. */
    private static boolean hasRoom(StepResult measured, Limits limits) {
        return isElsewhere(measured) || 1 - measured.machineBusy() >= limits.idle();
    }

    /** Whether what is measured may be on other machines: none of it is known to be here. */
    private static boolean isElsewhere(StepResult measured) {
        return measured.processes().stream().allMatch(process -> process.isOfTool() || process.elsewhere());
    }

    private static void checkRate(Limits limits, StepResult measured, List<String> refusals) {
        // Those of closed loops are never late.
        Distribution delays = measured.times().getOrDefault(Metric.SEND_DELAY, Distribution.NONE);
        double late =
                (double) measured.count(Count.SENT_LATE) / Math.max(1, delays.values() + measured.count(Count.BLOCKED));
        double limitMillis = limits.sendDelay().toNanos() / 1e6;
        if (late > TOLERATED) {
            refusals.add(String.format(
                    Locale.ROOT,
                    "the load tool sent %.1f %% of the messages with a rate more than %.0f ms late by its own fault: the rate was not"
                            + " what the scenario says",
                    100 * late,
                    limitMillis));
        }
        Distribution lag = measured.times().get(Metric.LOOP_LAG);
        if (lag != null && lag.p99() > limitMillis) {
            refusals.add(String.format(
                    Locale.ROOT,
                    "the event loops of the load tool were %.0f ms late (99th percentile): latencies would be the tool's",
                    lag.p99()));
        }
        long sent = measured.count(Count.SENT);
        long due = measured.count(Count.DUE);
        long missing = due - sent;
        if (missing > TOLERATED * due && measured.count(Count.BLOCKED) == 0) {
            refusals.add(String.format(
                    Locale.ROOT,
                    "only %d of %d messages that were due were sent, though the broker took all",
                    sent,
                    due));
        }
    }

    /** What to know when reading the figures. */
    static List<String> remarks(Scenario scenario, StepResult measured, int cores) {
        List<String> remarks = new ArrayList<>();
        if (!isElsewhere(measured)
                && 1 - measured.machineBusy() < scenario.limits().idle()) {
            remarks.add(String.format(
                    Locale.ROOT,
                    "All %d processors of the machine were busy: throughput is what broker and load tool reach together on"
                            + " it; the cost of a message is the figure to compare.",
                    cores));
        }
        // Of the machines of runners nobody knows what else they do.
        boolean isToolHere =
                measured.processes().stream().noneMatch(process -> process.isOfTool() && process.elsewhere());
        if (isToolHere && measured.othersBusy() > OTHERS) {
            remarks.add(String.format(
                    Locale.ROOT,
                    isElsewhere(measured)
                            ? "Other programs took %.0f %% of the machine meanwhile; the broker is one of them if it runs on it, for"
                                    + " nobody said which of its processes are the broker's (--pid). Latency and throughput suffer"
                                    + " from the rest."
                            : "Other programs took %.0f %% of the machine meanwhile: latency and throughput suffer from that.",
                    100 * measured.othersBusy()));
        }
        if (!scenario.isOpenLoop() && measured.busiestLoop() >= LOOP_BUSY) {
            remarks.add(String.format(
                    Locale.ROOT,
                    "An event loop of the load tool was busy %.0f %% of the time: throughput is at least what is said here, and"
                            + " may be the tool's limit.",
                    100 * measured.busiestLoop()));
        }
        long expected = measured.count(Count.EXPECTED);
        if (measured.count(Count.RECEIVED) < ALL * expected) {
            remarks.add(String.format(
                    Locale.ROOT,
                    "Of 100 messages that were to come %.0f came meanwhile: what is said of a message that came out has the cost"
                            + " of those that were lost, or wait, in it; compare it with no other.",
                    100.0 * measured.count(Count.RECEIVED) / expected));
        }
        if (measured.count(Count.BLOCKED) > 0) {
            remarks.add(String.format(
                    Locale.ROOT,
                    "The broker did not keep up with the rate: %d of %d messages waited for acknowledgements of earlier"
                            + " ones (not at QoS 0), for room in a socket, or for a connection; the wait is part of their"
                            + " latency. %d were sent.",
                    measured.count(Count.BLOCKED),
                    measured.count(Count.DUE),
                    measured.count(Count.SENT)));
        }
        return remarks;
    }
}
