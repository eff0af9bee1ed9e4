package io.tributary.perf.scenario;

/**
 * One subscription of each client of a group.
 *
 * @param filter a topic filter with placeholders, see {@link Template}; {@code $share/...} included
 */
public record SubscribeOptions(String filter, int qos) {

    /** Checks the quality of service. */
    public SubscribeOptions {
        if (qos < 0 || qos > 2) {
            throw new ScenarioException("subscribe.qos: 0, 1 or 2, not " + qos);
        }
    }
}
