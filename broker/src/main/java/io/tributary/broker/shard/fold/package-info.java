/**
 * The pure fold of a shard's log: events and save points in, effects out. The same records always fold to the same
 * state; nothing here does I/O, reads a clock, logs, or runs on a thread of its own, and nothing outside writes what is
 * folded.
 */
@NullMarked
package io.tributary.broker.shard.fold;

import org.jspecify.annotations.NullMarked;
