package io.tributary.broker.shard;

import io.tributary.broker.shard.fold.SessionState;
import io.tributary.common.event.GroupIdentifier;
import io.tributary.common.event.TenantNames;
import java.util.Collection;

/**
 * What shards hold, at one moment.
 *
 * @param persistentSessions sessions that outlive their connection, connected or not
 * @param offlineSessions those of them that have no connection
 * @param queuedMessages messages in the queues of the sessions, acknowledged ones included until that is logged
 */
public record ShardStats(long persistentSessions, long offlineSessions, long queuedMessages) {
    static final ShardStats NONE = new ShardStats(0, 0, 0);

    static ShardStats of(Collection<SessionState> clients) {
        long persistent = 0;
        long offline = 0;
        long queued = 0;
        for (SessionState client : clients) {
            if (GroupIdentifier.isGroup(client.clientId()) || TenantNames.isBrokers(client.clientId())) {
                continue; // no user's
            }
            persistent += client.isPersistent() ? 1 : 0;
            offline += client.isAttached() ? 0 : 1;
            queued += client.queuedMessages();
        }
        return new ShardStats(persistent, offline, queued);
    }

    ShardStats plus(ShardStats other) {
        return new ShardStats(
                persistentSessions + other.persistentSessions,
                offlineSessions + other.offlineSessions,
                queuedMessages + other.queuedMessages);
    }
}
