package io.tributary.broker.routing;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.tributary.broker.security.Authorizer;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.Permissions;
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
import org.slf4j.LoggerFactory;

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

    /** Another test may have had the line of this minute. */
    @Test
    void authorizerThatFailsAtEachMessageIsNotLoggedAtEach() {
        PublishPolicy failing = new PublishPolicy(new Failing(), List.of(), 1_000);
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger logger = (Logger) LoggerFactory.getLogger(PublishPolicy.class);
        logger.addAppender(log);
        try {
            for (int i = 0; i < 100; i++) {
                assertThat(failing.mayPublish(Message.of("a", new byte[0], QoS.AT_LEAST_ONCE))
                                .allowed())
                        .isFalse();
            }
            assertThat(log.list).hasSizeLessThan(3);
        } finally {
            logger.detachAppender(log);
        }
    }

    private static final class Failing implements Authorizer {
        @Override
        public Permissions bind(ClientInfo client) {
            throw new IllegalStateException("as the test wants");
        }

        @Override
        public boolean mayPublish(ClientInfo client, String topic, QoS qos, boolean retain) {
            return true;
        }

        @Override
        public boolean maySubscribe(ClientInfo client, String topicFilter, QoS qos) {
            return true;
        }

        @Override
        public boolean mayReceive(ClientInfo client, String topic) {
            return true;
        }
    }

    private boolean mayPublish(@Nullable String tenant, String topic) {
        Message message = Message.of(topic, new byte[0], QoS.AT_LEAST_ONCE).withNames(topic, "ingest");
        return policy.mayPublish(TenantNames.message(tenant, message)).allowed();
    }
}
