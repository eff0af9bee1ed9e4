package io.tributary.broker.shard;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.delivery.Delivery;
import io.tributary.common.event.AttachRefusal;
import io.tributary.common.event.QueueEntry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Writes down what connections are told, a line each: {@code 7: 1 2 dup 3 PUBREL} are three deliveries to connection 7.
 */
final class RecordingTarget implements OwnerTarget {
    private final List<String> told = new ArrayList<>();
    /** Up to where it was told of all its connections that have a session. */
    final List<Long> allAttachedUpTo = new ArrayList<>();
    /** Whether it is another node that answers when it is asked for acknowledgements. */
    boolean answers;

    /** What was told since the last call. */
    List<String> take() {
        List<String> taken = List.copyOf(told);
        told.clear();
        return taken;
    }

    @Override
    public void attached(long connection, Attached attached) {
        told.add(connection + ": attached " + attached.session() + "/" + attached.epoch()
                + (attached.sessionPresent() ? " present" : ""));
    }

    @Override
    public boolean attachedLater(long connection) {
        told.add(connection + ": attached later");
        return true;
    }

    @Override
    public void refused(long connection, AttachRefusal reason) {
        told.add(connection + ": refused, is " + reason);
    }

    @Override
    public boolean takenOver(long connection) {
        told.add(connection + ": taken over");
        return answers;
    }

    @Override
    public boolean askForAllSettled(String clientId, long epoch) {
        if (answers) {
            told.add("asked for all that " + clientId + "/" + epoch + " settled");
        }
        return answers;
    }

    @Override
    public void deliver(long connection, List<Delivery> deliveries) {
        told.add(connection + ": "
                + deliveries.stream().map(RecordingTarget::text).collect(Collectors.joining(" ")));
    }

    private static String text(Delivery delivery) {
        String kind = delivery.entry() instanceof QueueEntry.Released ? " PUBREL" : "";
        return delivery.sequence() + kind + (delivery.dup() && kind.isEmpty() ? " dup" : "");
    }

    @Override
    public void receivedLogged(long connection, long[] sequences) {
        told.add(connection + ": received " + Arrays.toString(sequences));
    }

    @Override
    public void allAttached(long upTo) {
        allAttachedUpTo.add(upTo);
    }

    @Override
    public void relayed(long epoch, int packetId) {
        told.add("relayed " + epoch + "/" + packetId);
    }

    @Override
    public void qos0(String clientId, long session, QueueEntry.Queued message) {
        told.add("qos 0 " + clientId + "/" + session);
    }
}
