package io.tributary.broker.routing;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.security.TenantAuthorizer;
import io.tributary.broker.security.rules.Audience;
import io.tributary.broker.security.rules.Rule;
import io.tributary.broker.security.rules.RuleSet;
import io.tributary.broker.security.rules.Rules;
import io.tributary.broker.security.rules.TopicPattern;
import io.tributary.common.event.TenantNames;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PublishPolicyTest {
    private final Rules rules = new Rules(List.of(new RuleSet(
            "own",
            Audience.EVERYBODY,
            List.of(new Rule(Rule.Effect.ALLOW, Rule.Action.PUBLISH, TopicPattern.parse("${tenant}/${clientid}/#"))))));
    private final PublishPolicy policy = new PublishPolicy(TenantAuthorizer.of(rules), List.of(), 1_000);

    /** One back-end publishes for many tenants, in any order. */
    @Test
    void backEndIsOfTheTenantThatTheMessageNames() {
        for (int i = 0; i < 2; i++) {
            assertThat(mayPublish("acme", "acme/ingest/x")).isTrue();
            assertThat(mayPublish(null, "acme/ingest/x")).isFalse();
            assertThat(mayPublish("beta", "acme/ingest/x")).isFalse();
            assertThat(mayPublish("beta", "beta/ingest/x")).isTrue();
        }
    }

    private boolean mayPublish(@Nullable String tenant, String topic) {
        Message message = Message.of(topic, new byte[0], QoS.AT_LEAST_ONCE).withNames(topic, "ingest");
        return policy.mayPublish(TenantNames.message(tenant, message)).allowed();
    }
}
