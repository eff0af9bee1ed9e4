package io.tributary.broker.shard;

import java.util.EnumSet;
import java.util.Set;

/** What may go wrong in a history. */
enum SimFault {
    /** Processes die without a word. */
    CRASHES(0.5),
    /** There are several processes, and shards move between them. */
    CLUSTER(0.4),
    /** Owners stand still for a while. */
    PAUSES(0.3),
    /** Connections break, and links between processes. */
    BREAKS(0.6),
    /** Clients connect while they are connected. */
    TAKEOVERS(0.5),
    /** The store refuses, or loses what it is asked. */
    STORE_FAILS(0.3),
    /** The store goes back to what it once was. */
    TIME_TRAVEL(0.3),
    /** The beginning of the log is deleted; only with {@link #TIME_TRAVEL}. */
    CUTS(0.5),
    /** Queues may hold little. */
    LIMITS(0.25),
    /** The clocks of processes differ. */
    CLOCKS(0.3),
    /** What owners append is refused now and then. */
    APPENDS_FAIL(0.2),
    /** The topics of applications are deleted. */
    TOPICS_DELETED(0.2),
    /** Processes do not reach the log for seconds, while all others do. */
    CUT_OFFS(0.2);

    private static final Set<SimFault> LEAVE_OWNERS_UNSURE =
            EnumSet.of(CRASHES, CLUSTER, PAUSES, STORE_FAILS, TIME_TRAVEL, APPENDS_FAIL, TOPICS_DELETED);

    private final double probability;

    SimFault(double probability) {
        this.probability = probability;
    }

    /** Those of one history. */
    static Set<SimFault> drawnFrom(SimClock clock) {
        boolean isCalm = clock.chance(0.15);
        Set<SimFault> drawn = EnumSet.noneOf(SimFault.class);
        for (SimFault fault : isCalm ? EnumSet.of(LIMITS, CLOCKS) : EnumSet.allOf(SimFault.class)) {
            boolean mayBe = fault != CUTS || drawn.contains(TIME_TRAVEL);
            if (mayBe && clock.chance(fault.probability)) {
                drawn.add(fault);
            }
        }
        return drawn;
    }

    /** Whether an owner may not know what its sessions' connections were handed. */
    static boolean leaveOwnersUnsure(Set<SimFault> faults) {
        return faults.stream().anyMatch(LEAVE_OWNERS_UNSURE::contains);
    }
}
