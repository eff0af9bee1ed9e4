package io.tributary.broker.shard.fold;

import io.tributary.common.event.AttachRefusal;
import io.tributary.common.event.Destinations;
import io.tributary.common.event.QueueEntry;
import io.tributary.common.event.ShardEvent.Attach;
import io.tributary.common.event.ShardEvent.Detach;
import io.tributary.common.event.ShardEvent.WillDue;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.Will;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes down what a fold asks for, a line each. */
final class RecordingEffects implements Effects {
    private final List<String> asked = new ArrayList<>();
    private String from = "";

    /** What was asked for since the last call. */
    List<String> take() {
        List<String> taken = List.copyOf(asked);
        asked.clear();
        return taken;
    }

    @Override
    public void owned(long epoch) {
        asked.add("owned " + epoch);
    }

    @Override
    public void attached(SessionState client, @Nullable Before before) {
        asked.add("attached " + client.clientId() + from);
        from = "";
    }

    /** Written down with what follows from it. */
    @Override
    public void takenOver(TakenOver connection, String by) {
        from = " from " + connection.node() + "/" + connection.connection();
    }

    /** Changes nothing by itself. */
    @Override
    public void endedLate(Detach detach) {}

    @Override
    public void refused(Attach attach, AttachRefusal reason) {
        asked.add("refused " + attach.clientId() + "/" + attach.connection() + ", " + reason);
    }

    @Override
    public void unheard(String node, long connection) {
        asked.add("unheard " + node + "/" + connection);
    }

    @Override
    public void detached(SessionState client) {
        asked.add("detached " + client.clientId());
    }

    @Override
    public void inherited(SessionState successor, SessionState before) {
        asked.add("inherited " + successor.clientId() + "/" + successor.session() + " from " + before.session());
    }

    @Override
    public void sessionEnded(SessionState client) {
        asked.add("ended " + client.clientId() + "/" + client.session());
    }

    @Override
    public void queued(SessionState client, long sequence, QueueEntry.Queued entry) {
        asked.add("queued " + client.clientId() + " " + sequence);
    }

    @Override
    public void topicFound(SessionState client) {
        asked.add("topic of " + client.clientId());
    }

    @Override
    public void receivedLogged(SessionState client, long[] sequences) {
        asked.add("received " + client.clientId() + " " + Arrays.toString(sequences));
    }

    @Override
    public void relayed(SessionState publisher, int packetId) {
        asked.add("relayed " + packetId);
    }

    @Override
    public void forward(Message message, Destinations destinations) {
        asked.add("forward " + Samples.text(message));
    }

    @Override
    public void forwardWill(WillDue due, boolean wasDue) {
        asked.add("forward " + Samples.text(due.message()) + (wasDue ? "" : ", its delay is over"));
    }

    @Override
    public void willDue(String clientId, long epoch, Will will) {
        asked.add("will of " + clientId + "/" + epoch);
    }

    @Override
    public void willDropped(String clientId, long epoch) {
        asked.add("no will of " + clientId + "/" + epoch);
    }
}
