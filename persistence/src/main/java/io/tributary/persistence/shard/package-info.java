/** What a shard needs to outlive its owner: the log of its events and the store of its state. */
@NullMarked
package io.tributary.persistence.shard;

import org.jspecify.annotations.NullMarked;
