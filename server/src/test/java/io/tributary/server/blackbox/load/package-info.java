/**
 * Publishers and subscribers that go on while brokers are killed, paused and restarted under them, and the judges of
 * what they saw. Each client is a loop for a thread of its own.
 */
@NullMarked
package io.tributary.server.blackbox.load;

import org.jspecify.annotations.NullMarked;
