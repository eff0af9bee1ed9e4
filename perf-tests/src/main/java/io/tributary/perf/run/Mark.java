package io.tributary.perf.run;

import io.tributary.perf.client.Crew;
import io.tributary.perf.judge.Snapshot;
import io.tributary.perf.machine.ThisMachine;
import io.tributary.perf.machine.Usage;
import java.util.List;
import java.util.Map;

/**
 * Everything that is measured, at one moment; a step is what lies between two.
 *
 * @param nanos the time, by the run's clock
 * @param snapshot of the clients; its distributions are those since the mark before
 * @param machineNanos what the processors of this machine were busy in all
 * @param sentBytes what this machine sent over any network, loopback included; {@link Usage#UNKNOWN} where nobody says
 */
record Mark(
        long nanos,
        Snapshot snapshot,
        Map<String, Usage> usage,
        List<Crew.Own> own,
        long machineNanos,
        long sentBytes) {

    static Mark take(long nanos, Crew crew, Watched watched) {
        Snapshot snapshot = crew.snapshot();
        List<Crew.Own> own = crew.own();
        return new Mark(nanos, snapshot, watched.usage(own), own, ThisMachine.busyNanos(), ThisMachine.sentBytes());
    }
}
