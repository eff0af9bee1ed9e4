package io.tributary.broker.routing;

import io.tributary.broker.extension.PublishInterceptor;
import io.tributary.broker.extension.PublishInterceptor.Proceed;
import io.tributary.broker.extension.PublishInterceptor.Refuse;
import io.tributary.broker.security.Authorizer;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.Decision;
import io.tributary.broker.security.Permissions;
import io.tributary.common.event.MessageFormat;
import io.tributary.common.event.Principal;
import io.tributary.common.event.TenantNames;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.Printable;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.time.LineAMinute;
import io.tributary.common.topic.TopicLimits;
import io.tributary.common.topic.TopicName;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What may be published, and the interceptors before a message is routed. A failure of either counts as a refusal. Any
 * thread.
 */
public final class PublishPolicy {
    private static final Logger LOG = LoggerFactory.getLogger(PublishPolicy.class);
    private static final LineAMinute FAILURES = new LineAMinute(System::nanoTime);
    private static final Decision FAILED = new Decision(false, "the authorizer failed");

    /** The parts of a message that a packet can lack: the topic, when it has an alias, and the publisher. */
    private static final int NAMES_BYTES = 2 * ((1 << 16) + TenantNames.MOST_PREFIX_BYTES);

    private final Authorizer authorizer;
    private final List<PublishInterceptor> interceptors;
    private final int largestPacketBytes;

    /** The back-end that was last asked about: there is one, as a rule. */
    private volatile @Nullable BackEnd backEnd;

    /** A back-end, by the client identifier that it publishes as, inside the broker: it has one for each tenant. */
    private record BackEnd(String clientId, Permissions permissions) {}

    /**
     * Creates one.
     *
     * @param authorizer asked about wills and about what back-ends publish
     * @param interceptors asked in this order; each sees what the one before made of the message
     * @param largestPacketBytes the largest packet of a client; what is made of one, or without one, is to be no larger
     */
    public PublishPolicy(Authorizer authorizer, List<PublishInterceptor> interceptors, int largestPacketBytes) {
        this.authorizer = authorizer;
        this.interceptors = List.copyOf(interceptors);
        this.largestPacketBytes = largestPacketBytes;
    }

    /** Whether a client may publish a message. */
    Decision mayPublish(Publisher publisher, Message message) {
        return mayPublish(publisher.permissions(), message);
    }

    /** Whether the back-end that a message names as its publisher may publish it. */
    Decision mayPublish(Message message) {
        BackEnd known = backEnd;
        try {
            if (known == null || !known.clientId.equals(message.publisher())) {
                ClientInfo client = ClientInfo.away(message.publisher(), null, ofTenant(message.publisher()));
                known = new BackEnd(message.publisher(), authorizer.bind(client));
                backEnd = known;
            }
        } catch (RuntimeException failure) {
            return failed(failure);
        }
        return mayPublish(known.permissions, message);
    }

    /** A back-end is no principal, but the tenant that it publishes for is known. */
    private static @Nullable Principal ofTenant(String publisher) {
        String tenant = TenantNames.tenantOf(publisher);
        return tenant == null ? null : new Principal("", "", null, tenant, List.of(), null);
    }

    /**
     * Whether a client may publish its will, now that it is to be published.
     *
     * @param principal whose session it was; null where that is not known, and then it is nobody's
     */
    Decision mayPublish(Message will, @Nullable Principal principal) {
        ClientInfo client = ClientInfo.away(will.publisher(), null, principal);
        try {
            return mayPublish(principal == null ? authorizer.bind(client) : authorizer.bindAway(client), will);
        } catch (RuntimeException failure) {
            return failed(failure);
        }
    }

    private static Decision mayPublish(Permissions permissions, Message message) {
        Decision decision = permissions.mayPublish(message.topic(), message.qos(), message.retain());
        if (!decision.allowed() && LOG.isDebugEnabled()) { // it may be each message of a client
            LOG.debug(
                    "{} may not publish to {}: {}",
                    TenantNames.display(message.publisher()),
                    Printable.of(TenantNames.visible(message.topic())),
                    decision.reason());
        }
        return decision;
    }

    /** Said once a minute: it may be each message of a back-end. */
    private static Decision failed(RuntimeException failure) {
        String others = FAILURES.happened();
        if (others != null) {
            LOG.warn("the authorizer failed, which means no{}", others, failure);
        }
        return FAILED;
    }

    /** Whether a message could not come from a client, for it is too large: no log has to take it. */
    boolean isTooLarge(Message message) {
        return MessageFormat.largestSizeOf(message) > largestPacketBytes
                && MessageFormat.sizeOf(message) > largestPacketBytes + NAMES_BYTES;
    }

    /** The interceptors' decision on a client's message, which they see as the client does. */
    PublishInterceptor.Decision intercept(ClientInfo publisher, Message message) {
        if (interceptors.isEmpty() || !TenantNames.isTenants(message.topic())) {
            return decide(publisher, message);
        }
        Message seen = TenantNames.visible(message);
        return switch (decide(publisher, seen)) {
            case Proceed(Message left) when left.equals(seen) -> new Proceed(message);
            case Proceed(Message changed) -> new Proceed(TenantNames.message(publisher.tenant(), changed));
            case PublishInterceptor.Decision end -> end;
        };
    }

    private PublishInterceptor.Decision decide(ClientInfo publisher, Message message) {
        Message current = message;
        for (int i = 0; i < interceptors.size(); i++) {
            switch (ask(interceptors.get(i), publisher, current)) {
                case Proceed(Message changed) -> current = changed;
                case PublishInterceptor.Decision end -> {
                    return end;
                }
            }
        }
        return interceptors.isEmpty() ? new Proceed(current) : checked(current);
    }

    /** No client could have published with such a topic, and clients close the connection on which it comes. */
    private PublishInterceptor.Decision checked(Message left) {
        if (!TopicName.isValid(left.topic(), TopicLimits.MQTT)) {
            return new Refuse(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR, "an interceptor made the topic invalid");
        }
        return isTooLarge(left)
                ? new Refuse(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR, "an interceptor made the message too large")
                : new Proceed(left);
    }

    private static PublishInterceptor.Decision ask(
            PublishInterceptor interceptor, ClientInfo publisher, Message message) {
        try {
            PublishInterceptor.Decision decision =
                    Objects.requireNonNull(interceptor.onPublish(publisher, message), "no decision");
            return decision instanceof Refuse(ReasonCode reason, String words) && !reason.isError()
                    ? new Refuse(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR, words)
                    : decision;
        } catch (RuntimeException | Error e) {
            LOG.warn("publish interceptor failed on a message of {}", TenantNames.display(publisher.clientId()), e);
            return new Refuse(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR, "an interceptor failed");
        }
    }
}
