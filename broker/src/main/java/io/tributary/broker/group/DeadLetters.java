package io.tributary.broker.group;

import io.tributary.broker.routing.RouteOutcome;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.TenantNames;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.Printable;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.UserProperty;
import io.tributary.common.topic.TopicFilter;
import io.tributary.common.topic.TopicLimits;
import io.tributary.common.topic.TopicName;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is published of a message of a shared subscription that its members leave unacknowledged time and again. The
 * topic is {@code $dead-letter/<name of the shared subscription>/<topic>}; two user properties are added, all else
 * stays as it is. Confined to the thread of {@link ApplicationGroups}.
 */
final class DeadLetters {
    private static final Logger LOG = LoggerFactory.getLogger(DeadLetters.class);
    private static final String PREFIX = "$dead-letter/";
    private static final String SUBSCRIPTION = "dead-letter-subscription";
    private static final String DELIVERIES = "dead-letter-deliveries";
    private static final long WARN_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final String KEPT = "{}: a message was left unacknowledged too often and is now on {}";
    private static final String NOT_KEPT = "{}: no persistent session takes {}, so members get the message again";

    private final String group;
    private final GroupServices services;
    private final Executor thread;
    private long warnedNanos;

    /**
     * Creates it.
     *
     * @param group the shared subscription as clients write it
     */
    DeadLetters(String group, GroupServices services, Executor thread) {
        this.group = group;
        this.services = services;
        this.thread = thread;
        warnedNanos = services.nanos().getAsLong() - WARN_NANOS;
    }

    /**
     * What to publish of a message.
     *
     * @param deliveries how often members that may have been sent it have left it
     * @return null when that is not too often yet, when it has been put aside once already, or when its topic would be
     *     longer than a topic can be
     */
    @Nullable
    Message of(Queued queued, int deliveries) {
        int most = services.limits().deliveries();
        boolean isTooOften = most > 0 && deliveries >= most;
        boolean isOne = TenantNames.visible(queued.message().topic()).startsWith(PREFIX);
        return isTooOften && !isOne ? letter(queued, deliveries) : null;
    }

    /**
     * Publishes a dead letter.
     *
     * @param isKept told on the thread whether a persistent session has it
     * @return false when that failed, and nothing is told
     */
    boolean publish(Message deadLetter, Consumer<Boolean> isKept) {
        try {
            services.publisher()
                    .publishKept(
                            deadLetter,
                            outcome -> thread.execute(() -> isKept.accept(outcome instanceof RouteOutcome.Safe)));
            return true;
        } catch (RuntimeException e) {
            LOG.error("{}: a dead letter could not be published; this is a defect", TenantNames.display(group), e);
            return false;
        }
    }

    /**
     * Says what became of one; once for all that happens in a while: a member that goes may leave hundreds of messages.
     */
    void report(Message deadLetter, boolean isKept) {
        if (isKept) {
            services.recorder().putAside();
        }
        long now = services.nanos().getAsLong();
        if (now - warnedNanos > WARN_NANOS) {
            warnedNanos = now;
            LOG.warn(
                    isKept ? KEPT : NOT_KEPT,
                    TenantNames.display(group),
                    Printable.of(TenantNames.visible(deadLetter.topic())));
        }
    }

    private @Nullable Message letter(Queued queued, int deliveries) {
        Message message = queued.message();
        TopicFilter subscription = TenantNames.visible(TopicFilter.parseStored(group));
        String topic = PREFIX + subscription.shareName() + '/' + TenantNames.visible(message.topic());
        if (!TopicName.isValid(topic, TopicLimits.MQTT)) {
            return null;
        }
        PublishProperties properties = message.properties();
        List<UserProperty> all = new ArrayList<>(properties.userProperties());
        all.add(new UserProperty(SUBSCRIPTION, subscription.toString()));
        all.add(new UserProperty(DELIVERIES, String.valueOf(deliveries)));
        return new Message(
                TenantNames.topic(TenantNames.tenantOf(message.topic()), topic),
                message.payload(),
                QoS.AT_LEAST_ONCE,
                false,
                new PublishProperties(
                        properties.payloadFormat(),
                        properties.contentType(),
                        properties.responseTopic(),
                        properties.correlationData(),
                        all),
                message.expiresAtMillis(),
                message.publisher());
    }
}
