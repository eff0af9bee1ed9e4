/** Threads that work off queues, and help each other when there is little to do. */
@NullMarked
package io.tributary.common.thread;

import org.jspecify.annotations.NullMarked;
