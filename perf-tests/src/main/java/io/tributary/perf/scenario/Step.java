package io.tributary.perf.scenario;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One step of a run.
 *
 * @param groups the groups that it is about; empty for all
 * @param length how long it takes; with messages the longest it may take, zero for as long as it needs
 * @param messages how many messages of each client; 0 for as many as there is time for
 * @param stalled the groups whose clients read nothing from their connections meanwhile, and answer nothing
 * @param fault what happens to a node of the target as the step begins; null for nothing
 * @param measured whether its figures are the run's result
 */
public record Step(
        String name,
        @JsonProperty("do") Action action,
        List<String> groups,
        @JsonProperty("for") Duration length,
        int messages,
        List<String> stalled,
        @Nullable Fault fault,
        boolean measured) {

    /** Checks that it ends. */
    public Step {
        groups = List.copyOf(groups);
        stalled = List.copyOf(stalled);
        if (action == Action.PUBLISH && length.isZero() && messages == 0) {
            throw new ScenarioException("step " + name + ": publish needs for or messages");
        }
        if (action == Action.HOLD && length.isZero()) {
            throw new ScenarioException("step " + name + ": hold needs for");
        }
    }

    /** What happens to the second node of a cluster. */
    public enum Fault {
        /** Its process is ended at once. */
        KILL,
        /** Its process is asked to end, and does so in order. */
        STOP,
        /** Its process stands still. */
        PAUSE,
        /** It is started again, or goes on; the step begins once it is ready. */
        BACK;

        /** Whether the others have to do without it. */
        public boolean isOutage() {
            return this != BACK;
        }
    }

    /** What a step does. */
    public enum Action {
        /** Connects clients, those that subscribe first, and waits until they are ready. */
        CONNECT,
        /** Connects clients, and has each disconnect as soon as it is ready: their sessions stay. */
        VISIT,
        /** Has clients disconnect, as MQTT says. */
        DISCONNECT,
        /** Cuts clients' connections, all at once. */
        DROP,
        /** Has clients publish. */
        PUBLISH,
        /** Waits until every message has come, or nothing comes any more. */
        DRAIN,
        /** Waits. */
        HOLD
    }
}
