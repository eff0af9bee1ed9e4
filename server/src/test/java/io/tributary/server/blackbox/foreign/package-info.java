/** The same suite for clients that others wrote: Java, JavaScript and Python, over TCP and WebSocket. */
@NullMarked
package io.tributary.server.blackbox.foreign;

import org.jspecify.annotations.NullMarked;
