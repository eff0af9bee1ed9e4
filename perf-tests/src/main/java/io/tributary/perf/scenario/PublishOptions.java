package io.tributary.perf.scenario;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.tributary.perf.judge.Stamp;
import org.jspecify.annotations.Nullable;

/**
 * What each client of a group publishes: by a rate (open loop), or as fast as earlier messages are done (closed loop).
 *
 * @param topic with placeholders, see {@link Template}
 * @param topics how many topics each client takes in turn
 * @param payload its size in bytes, at least 16
 * @param rate messages a second of each client; null for a closed loop
 * @param burst how many messages come at once with bursts
 * @param window in a closed loop, how many messages may be unfinished
 * @param inFlight with a rate, how many messages may be unacknowledged
 * @param responseTopic where the answer goes, with placeholders; null for none
 */
public record PublishOptions(
        String topic,
        int topics,
        int qos,
        Draw payload,
        @Nullable Draw rate,
        Pacing pacing,
        int burst,
        int window,
        int inFlight,
        @Nullable String responseTopic,
        boolean retain) {

    private static final int LARGEST_PAYLOAD = 16_000_000;

    /** Checks that it makes sense. */
    public PublishOptions {
        if (qos < 0 || qos > 2) {
            throw new ScenarioException("publish.qos: 0, 1 or 2, not " + qos);
        }
        if (payload.min() < Stamp.BYTES || payload.max() > LARGEST_PAYLOAD) {
            throw new ScenarioException(
                    "publish.payload: 16 to " + LARGEST_PAYLOAD + " bytes; the first 16 say what message it is");
        }
        if ((rate == null) == (window == 0)) {
            throw new ScenarioException("publish: needs a rate or a window, and not both");
        }
        if (rate != null && rate.mean() <= 0) {
            throw new ScenarioException("publish.rate: must be more than 0");
        }
        if (pacing == Pacing.IN_STEP && (rate == null || !rate.isConstant())) {
            throw new ScenarioException("publish.pacing: in-step needs a rate, and one that is always the same");
        }
        if (topics < 1 || burst < 1 || window < 0 || window > 65_535 || inFlight < 1 || inFlight > 65_535) {
            throw new ScenarioException("publish: topics and burst must be 1 or more, window and in-flight 1 to 65535");
        }
    }

    /** Whether messages are sent as fast as earlier ones are done. */
    @JsonIgnore
    public boolean isClosedLoop() {
        return rate == null;
    }

    /** How many messages may be unacknowledged. */
    @JsonIgnore
    public int mostInFlight() {
        return isClosedLoop() ? window : inFlight;
    }

    /** When messages of a rate are due. */
    public enum Pacing {
        /** At equal distances, those of each client at moments of its own. */
        CONSTANT,
        /** At equal distances, those of all clients of a rate at the same moments. */
        @JsonProperty("in-step")
        IN_STEP,
        /** At random, each independent of the others: exponential distances. */
        POISSON,
        /** Several at once, at equal distances. */
        BURST
    }
}
