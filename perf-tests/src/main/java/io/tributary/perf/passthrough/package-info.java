/** The least that can stand between publishers and subscribers: what sockets and threads cost by themselves. */
@NullMarked
package io.tributary.perf.passthrough;

import org.jspecify.annotations.NullMarked;
