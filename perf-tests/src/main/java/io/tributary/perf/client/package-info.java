/** Clients that publish, subscribe and measure: many on one event loop, with one write for each socket and turn. */
@NullMarked
package io.tributary.perf.client;

import org.jspecify.annotations.NullMarked;
