/** Sockets and what comes over them: listeners, TCP and WebSocket, bytes to packets and back, the flush policy. */
@NullMarked
package io.tributary.broker.network;

import org.jspecify.annotations.NullMarked;
