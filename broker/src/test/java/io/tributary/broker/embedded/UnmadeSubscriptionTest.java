package io.tributary.broker.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.broker.routing.RouterFixture;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.topic.TopicFilter;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** A subscription of the embedding application that cannot be made, or is ended before: nothing is left of it. */
class UnmadeSubscriptionTest {
    private final RouterFixture node = new RouterFixture();
    private final EmbeddedSubscription subscription =
            new EmbeddedSubscription(TopicFilter.parse("a"), QoS.AT_LEAST_ONCE, _ -> {});

    @Test
    void failsToBeMade() {
        assertThatThrownBy(() -> subscribe(_ -> {
                    throw new IllegalStateException("it took too long");
                }))
                .hasMessage("it took too long");
        assertNothingIsLeft();
    }

    @Test
    void isEndedWhileItIsMade() {
        subscribe(_ -> subscription.close());
        assertNothingIsLeft();
    }

    private void subscribe(Consumer<CompletionStage<?>> await) {
        subscription.subscribeTo(node.connections, node.subscriptions, node.retained, await, () -> false);
    }

    private void assertNothingIsLeft() {
        assertThat(node.subscriptions.transientCount().plain()).isZero();
        assertThat(node.connections.get(-1)).isNull();
    }
}
