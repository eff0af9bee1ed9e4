package io.tributary.perf.scenario;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.Duration;
import java.util.List;

/**
 * One step of a run.
 *
 * @param groups the groups that it is about; empty for all
 * @param length how long it takes; with messages the longest it may take, zero for as long as it needs
 * @param messages how many messages of each client; 0 for as many as there is time for
 * @param stalled the groups whose clients read nothing from their connections meanwhile, and answer nothing
 * @param measured whether its figures are the run's result
 */
public record Step(
        String name,
        @JsonProperty("do") Action action,
        List<String> groups,
        @JsonProperty("for") Duration length,
        int messages,
        List<String> stalled,
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

    /** What a step does. */
    public enum Action {
        /** Connects clients, those that subscribe first, and waits until they are ready. */
        CONNECT,
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
