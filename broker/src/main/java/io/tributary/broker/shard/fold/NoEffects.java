package io.tributary.broker.shard.fold;

import io.tributary.common.event.AttachRefusal;
import io.tributary.common.event.Destinations;
import io.tributary.common.event.QueueEntry;
import io.tributary.common.event.ShardEvent.Attach;
import io.tributary.common.event.ShardEvent.Detach;
import io.tributary.common.event.ShardEvent.WillDue;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.Will;
import org.jspecify.annotations.Nullable;

/** Does nothing of what the fold asks for. */
public class NoEffects implements Effects {
    @Override
    public void owned(long epoch) {}

    @Override
    public void attached(SessionState client, @Nullable Before before) {}

    @Override
    public void takenOver(TakenOver connection, String by) {}

    @Override
    public void endedLate(Detach detach) {}

    @Override
    public void refused(Attach attach, AttachRefusal reason) {}

    @Override
    public void unheard(String node, long connection) {}

    @Override
    public void detached(SessionState client) {}

    @Override
    public void inherited(SessionState successor, SessionState before) {}

    @Override
    public void sessionEnded(SessionState client) {}

    @Override
    public void queued(SessionState client, long sequence, QueueEntry.Queued entry) {}

    @Override
    public void topicFound(SessionState client) {}

    @Override
    public void receivedLogged(SessionState client, long[] sequences) {}

    @Override
    public void relayed(SessionState publisher, int packetId) {}

    @Override
    public void forward(Message message, Destinations destinations) {}

    @Override
    public void forwardWill(WillDue due, boolean wasDue) {}

    @Override
    public void willDue(String clientId, long epoch, Will will) {}

    @Override
    public void willDropped(String clientId, long epoch) {}
}
