package io.tributary.broker.shard;

import io.tributary.common.event.QueueKind;
import io.tributary.persistence.app.AppTopics;
import io.tributary.persistence.app.AppTopics.AppTopic;
import io.tributary.persistence.app.GroupTopics;

/**
 * Where the messages of applications wait.
 *
 * @param applications those of each application
 * @param groups those of applications' shared subscriptions
 */
public record Topics(AppTopics applications, GroupTopics groups) {

    /** The topic of an application. */
    static AppTopic of(String clientId, QueueKind queue) {
        return new AppTopic(clientId, queue == QueueKind.SHARED_TOPIC);
    }
}
