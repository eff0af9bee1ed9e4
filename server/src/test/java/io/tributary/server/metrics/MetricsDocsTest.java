package io.tributary.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.connection.DropReason;
import io.tributary.broker.connection.PauseReason;
import io.tributary.broker.metrics.BrokerMeters;
import io.tributary.broker.metrics.Meters;
import io.tributary.broker.routing.RouterRecorder;
import io.tributary.broker.security.store.TenantLimits.Limit;
import io.tributary.broker.shard.ShardRecorder;
import io.tributary.broker.subscription.Withdrawal;
import io.tributary.cluster.ingest.IngestRecorder;
import io.tributary.cluster.link.Refusal;
import io.tributary.cluster.redis.RedisRecorder;
import io.tributary.server.GeneratedDoc;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class MetricsDocsTest {

    @Test
    void committedListIsThatOfTheCode() throws Exception {
        String rows = Stream.of(BrokerMeters.values()).map(MetricsDocsTest::row).collect(Collectors.joining("\n"));
        GeneratedDoc.assertUpToDate(
                "metrics.md",
                GeneratedDoc.template(getClass(), "metrics.md")
                        .replace("{{meters}}", rows)
                        .replace("{{tags}}", tags()));
    }

    private static String tags() {
        return String.join(
                "\n",
                values(
                        BrokerMeters.CONNECTIONS_OPENED,
                        "listener",
                        "the name of the listener, here and in the two below it"),
                values(BrokerMeters.PACKETS, "direction", "`received`, `sent`"),
                values(BrokerMeters.BYTES, "direction", "`received`, `sent`"),
                values(BrokerMeters.CLIENTS, "kind", "`device`, `application`"),
                values(BrokerMeters.CLIENTS_CONNECTED, "session", "`new`, `resumed`"),
                values(
                        BrokerMeters.CLIENTS_REFUSED,
                        "reason",
                        "a reason code of MQTT 5, such as `bad_user_name_or_password`"),
                values(BrokerMeters.CLIENTS_DISCONNECTED, "reason", "a reason code of MQTT 5, such as `success`"),
                values(BrokerMeters.READING_PAUSED, "reason", names(PauseReason.class)),
                values(BrokerMeters.MESSAGES_RECEIVED, "qos", "`0`, `1`, `2`"),
                values(
                        BrokerMeters.MESSAGES_DROPPED,
                        "reason",
                        "with `place=\"router\"`: " + names(RouterRecorder.Drop.class)),
                values(
                        BrokerMeters.MESSAGES_DROPPED,
                        "reason",
                        "with `place=\"queue\"`, the queue of a persistent session, or its will: "
                                + names(ShardRecorder.Drop.class)),
                values(
                        BrokerMeters.MESSAGES_DROPPED,
                        "reason",
                        "with `place=\"session\"`, on the way to a connected client, or refused of one: "
                                + names(DropReason.class)),
                values(
                        BrokerMeters.MESSAGES_DROPPED,
                        "rules",
                        "the name of a rule set (`rules[0]` without one); `own` where a rule of the client's own"
                                + " says so; `other` behind the first 100; `none` where no rule does"),
                values(BrokerMeters.DEADLINES_MISSED, "rule", "the name of a rule of `tributary.priorities.rules`"),
                values(BrokerMeters.SUBSCRIPTIONS_WITHDRAWN, "change", names(Withdrawal.Change.class)),
                values(BrokerMeters.TENANT_MESSAGES, "direction", "`received`, `sent`"),
                values(BrokerMeters.TENANT_BYTES, "direction", "`received`, `sent`"),
                values(BrokerMeters.TENANT_REFUSED, "limit", names(Limit.class)),
                values(BrokerMeters.REDIS_CALLS, "operation", names(RedisRecorder.Operation.class)),
                values(BrokerMeters.REDIS_FAILURES, "operation", names(RedisRecorder.Operation.class)),
                values(BrokerMeters.REDIS_FAILURES, "reason", names(RedisRecorder.Failure.class)),
                values(BrokerMeters.REDIS_BYTES, "direction", "`received`, `sent`"),
                values(BrokerMeters.LINK_TIMEOUTS, "reason", "`silent`, `stalled`"),
                values(BrokerMeters.LINKS_REFUSED, "reason", names(Refusal.class)),
                values(BrokerMeters.LINK_FRAMES, "direction", "`received`, `sent`"),
                values(BrokerMeters.LINK_BYTES, "direction", "`received`, `sent`"),
                values(BrokerMeters.INGEST_RECORDS, "outcome", names(IngestRecorder.Outcome.class)));
    }

    private static String values(BrokerMeters meter, String tag, String values) {
        assertThat(meter.tags()).contains(tag);
        return "| `%s` | `%s` | %s |".formatted(meter.meterName(), tag, values);
    }

    private static String names(Class<? extends Enum<?>> type) {
        return Stream.of(type.getEnumConstants())
                .map(constant -> "`" + Meters.tagValue(constant) + "`")
                .collect(Collectors.joining(", "));
    }

    private static String row(BrokerMeters meter) {
        String tags = meter.tags().stream().map(tag -> "`" + tag + "`").collect(Collectors.joining(", "));
        return "| `%s` | %s | %s | %s | %s |"
                .formatted(
                        meter.meterName(),
                        meter.type().name().toLowerCase(Locale.ROOT),
                        meter.unit(),
                        tags,
                        meter.description())
                .replace("|  |", "| |")
                .replace("|  |", "| |");
    }
}
