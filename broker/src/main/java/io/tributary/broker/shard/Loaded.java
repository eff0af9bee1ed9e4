package io.tributary.broker.shard;

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
        WillsFirst wills) {}
