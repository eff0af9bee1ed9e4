/**
 * Threads that work off queues, and help each other when there is little to do; queues of those that wait for room; why
 * stages fail.
 */
@NullMarked
package io.tributary.common.thread;

import org.jspecify.annotations.NullMarked;
