/** What is logged and stored: the events of a shard and what they consist of, and their versioned encoding. */
@NullMarked
package io.tributary.common.event;

import org.jspecify.annotations.NullMarked;
