package io.tributary.broker.shard;

import io.tributary.broker.shard.fold.ShardState;
import io.tributary.common.event.Destinations;
import io.tributary.common.event.EventCodec;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.event.ShardEvent.WillDue;
import io.tributary.common.mqtt.Message;
import io.tributary.persistence.shard.LogRecord;
import org.jspecify.annotations.Nullable;

/**
 * The parts that an owner has of a shard from loading it until it loses or claims the shard again.
 *
 * @param state the fold
 * @param queues the messages of its sessions
 * @param savePoints move the stored state along
 * @param time the log's time
 * @param forwarder forwards messages of folded records, also of records that are folded again
 * @param wills that are under way
 * @param willMemory what all wills of the shard take of the node's memory for them
 */
record Loaded(
        ShardState state,
        SessionQueues queues,
        SavePoints savePoints,
        LogTime time,
        Forwarder forwarder,
        WillsFirst wills,
        DeliveryMemory.Part willMemory) {

    /** Folds the next record; gives its event, or null for a record that says nothing. */
    @Nullable
    ShardEvent fold(LogRecord record) {
        state.leaderEpoch(record.leaderEpoch());
        time.folded(record.timeMillis());
        if (record.value().length == 0) {
            state.applyNothing(record.offset());
            return null;
        }
        ShardEvent event = EventCodec.decode(record.value());
        state.apply(record.offset(), record.timeMillis(), event);
        return event;
    }

    /** What wills take is known to the node. */
    void countWills() {
        willMemory.take(state.willBytes() - willMemory.taken());
    }

    /**
     * The record that is being folded brings a will: counts it, and tells whether this node has room for it.
     *
     * @param takesPlace whether it may have that of the will before, if there is any
     */
    boolean admitWill(boolean takesPlace) {
        long before = willMemory.taken();
        countWills();
        return (takesPlace && willMemory.taken() <= before) || !willMemory.isFull();
    }

    /** Forwards a message in the name of the record that is being folded. */
    void forward(Message message, Destinations destinations) {
        forwarder.forward(state.applied(), message, destinations);
    }

    /** The same with a will, of which a step has begun. */
    void forwardWill(WillDue due) {
        forwarder.forward(state.applied(), due.message(), due.destinations(), () -> wills.done(due.clientId()));
    }
}
