package io.tributary.server.settings;

import io.tributary.broker.canary.CanaryConfig;
import io.tributary.server.settings.check.Allowed;
import java.time.Duration;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The canary, which sends messages through sessions of its own and takes the time until they are back.
 *
 * @param interval The time from one round to the next; 0 for no canary, otherwise at least 100ms. In a round the node
 *     sends two messages to itself and two to each of at most two other nodes, which send them back.
 * @param timeout How long a message may take to come back before it counts as lost.
 * @param roundsBeforeReady How many good rounds a node needs to be ready for the first time; 0 to wait for none.
 */
public record CanarySettings(
        @DefaultValue("1s") @Allowed(min = "0s", max = "1h") Duration interval,

        @DefaultValue("5s") @Allowed(min = "100ms", max = "1h")
        Duration timeout,

        @DefaultValue("5") @Allowed(min = "0", max = "1000") int roundsBeforeReady) {

    void change(CanaryConfig.Builder to) {
        to.interval(interval).timeout(timeout).roundsBeforeReady(roundsBeforeReady);
    }
}
