package io.tributary.broker.shard;

import io.tributary.common.event.Destinations;
import io.tributary.common.event.ShardEvent.WillDue;
import io.tributary.common.mqtt.Message;

/**
 * What an owner has of a shard from loading it until it loses or claims it again.
 *
 * @param state the fold
 * @param queues the messages of its sessions
 * @param savePoints move the stored state along
 * @param time that of the log
 * @param handOns of what the log says, also of records that are folded again
 * @param wills that are under way
 */
record Loaded(
        ShardState state,
        SessionQueues queues,
        SavePoints savePoints,
        LogTime time,
        HandOns handOns,
        WillsFirst wills) {

    /** Hands a message on in the name of the record that is being folded. */
    void handOn(Message message, Destinations destinations) {
        handOns.handOn(state.applied(), message, destinations);
    }

    /** The same with a will, of which a step has begun. */
    void handOnWill(WillDue due) {
        handOns.handOn(state.applied(), due.message(), due.destinations(), () -> wills.done(due.clientId()));
    }
}
