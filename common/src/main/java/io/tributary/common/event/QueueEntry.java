package io.tributary.common.event;

import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What stands in a session's queue under a sequence number. */
public sealed interface QueueEntry {

    /** A message that the client has not acknowledged; the fields are those of {@link Recipient}. */
    record Queued(
            Message message,
            QoS qos,
            boolean retain,
            List<Integer> subscriptionIds,
            @Nullable String group) implements QueueEntry {}

    /** A QoS 2 message whose PUBREC came: only PUBREL is sent for it, until PUBCOMP. */
    record Released() implements QueueEntry {}
}
