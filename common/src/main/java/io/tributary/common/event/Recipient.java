package io.tributary.common.event;

import io.tributary.common.mqtt.QoS;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One session that a message is for, and how it shall arrive there.
 *
 * @param clientId the client identifier of the session
 * @param session the identity of the session: the offset of the {@link ShardEvent.Attach} that began it. A record that
 *     names a session that is over is ignored. Of a transient session, the number of its connection on its node.
 * @param qos the quality of service after the subscription's maximum; QoS 0 only among the members of a
 *     {@link NodeShare}
 * @param retain the RETAIN flag towards the subscriber
 * @param subscriptionIds the identifiers of the subscriptions that matched, most often none
 * @param group the shared subscription ({@code $share/name/filter}) that chose this member, or null
 * @param kind where a persistent session's messages wait
 */
public record Recipient(
        String clientId,
        long session,
        QoS qos,
        boolean retain,
        List<Integer> subscriptionIds,
        @Nullable String group,
        ClientKind kind) {

    /** A session whose messages wait in its shard, or a transient one. */
    public Recipient(
            String clientId,
            long session,
            QoS qos,
            boolean retain,
            List<Integer> subscriptionIds,
            @Nullable String group) {
        this(clientId, session, qos, retain, subscriptionIds, group, ClientKind.DEVICE);
    }
}
