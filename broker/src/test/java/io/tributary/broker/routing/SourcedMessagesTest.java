package io.tributary.broker.routing;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.extension.PublishInterceptor.Drop;
import io.tributary.broker.fake.Messages;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.broker.subscription.SubscriptionRequest;
import io.tributary.common.event.Source;
import io.tributary.common.event.TenantNames;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.topic.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Messages of another log, which may come again. */
class SourcedMessagesTest {
    private static final Source SOURCE = new Source(Source.FIRST_INGEST, 3, 0);

    private final RouterFixture fixture = new RouterFixture();

    @Test
    void shardsAreToldTheSourceWhenMessageIsOfAnotherLog() {
        fixture.subscribe(new Subscriber("c", true, 1), "a", QoS.AT_LEAST_ONCE);
        List<RouteOutcome> outcomes = publish(Messages.message("a", "m", QoS.AT_LEAST_ONCE));
        assertThat(fixture.onlyAppend().source()).isEqualTo(SOURCE);
        assertThat(outcomes).isEmpty();
        fixture.onlyAppend().callback().onAppended(0, null);
        assertThat(outcomes).containsExactly(new RouteOutcome.Safe());
    }

    @Test
    void goesNowhereWhenPublisherMayNot() {
        fixture.subscribe(new Subscriber("c", true, 1), "a", QoS.AT_LEAST_ONCE);
        fixture.mayPublish = (client, topic) -> !client.equals("publisher");
        assertThat(publish(Messages.message("a", "m", QoS.AT_LEAST_ONCE)))
                .hasOnlyElementsOfType(RouteOutcome.Refused.class)
                .hasSize(1);
        assertThat(fixture.appends).isEmpty();
        assertThat(fixture.drops).containsExactly(RouterRecorder.Drop.PUBLISH_NOT_AUTHORIZED);
    }

    @Test
    void isNotIntercepted() {
        fixture.interceptors.add((client, message) -> new Drop());
        fixture.subscribe(new Subscriber("c", true, 1), "a", QoS.AT_LEAST_ONCE);
        publish(Messages.message("a", "m", QoS.AT_LEAST_ONCE));
        assertThat(fixture.appends).hasSize(1);
    }

    /** What is behind it may be in the subscriber's shard by now, which would skip it when it comes again. */
    @Test
    void isDeliveredAndCountsAsLostWhenItIsNotRetained() {
        fixture.subscribe(new Subscriber("c", true, 1), "a", QoS.AT_LEAST_ONCE);
        fixture.retainedMap.failWith(new IllegalStateException("busy"));
        List<RouteOutcome> outcomes = publish(Messages.retained("a", "m"));
        fixture.onlyAppend().callback().onAppended(0, null);
        assertThat(outcomes).containsExactly(new RouteOutcome.Lost());
    }

    /** A shard that had the second first would skip the first. */
    @Test
    void waitsForARetainedMessageOfTheSameLogWhoeverPublishedIt() {
        fixture.subscribe(new Subscriber("c", true, 1), "a", QoS.AT_LEAST_ONCE);
        TopicFilter ofTenant = TenantNames.filter("acme", TopicFilter.parse("a"));
        fixture.subscribe(
                new Subscriber("d", true, 2), new SubscriptionRequest(ofTenant, QoS.AT_LEAST_ONCE, false, false, 0));
        fixture.retainedMap.hold();
        publish(TenantNames.message("acme", Messages.retained("a", "first")), SOURCE);
        Source next = new Source(SOURCE.shard(), SOURCE.offset() + 1, 0);
        publish(Messages.message("a", "second", QoS.AT_LEAST_ONCE), next);
        assertThat(fixture.appends).isEmpty();
        fixture.retainedMap.release();
        assertThat(fixture.appends).extracting(RouterFixture.Append::source).containsExactly(SOURCE, next);
    }

    @Test
    void doesNotWaitForARetainedMessageOfAnotherLog() {
        fixture.subscribe(new Subscriber("c", true, 1), "a", QoS.AT_LEAST_ONCE);
        fixture.retainedMap.hold();
        publish(Messages.retained("a", "first"), SOURCE);
        Source other = new Source(SOURCE.shard() + 1, 3, 0);
        publish(Messages.message("a", "second", QoS.AT_LEAST_ONCE), other);
        assertThat(fixture.onlyAppend().source()).isEqualTo(other);
    }

    private List<RouteOutcome> publish(Message message) {
        return publish(message, SOURCE);
    }

    private List<RouteOutcome> publish(Message message, Source source) {
        List<RouteOutcome> outcomes = new ArrayList<>();
        fixture.router().publish(message, source, outcomes::add);
        return outcomes;
    }
}
