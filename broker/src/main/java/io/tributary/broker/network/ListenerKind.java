package io.tributary.broker.network;

/** The protocol below MQTT on a listener. */
public sealed interface ListenerKind {

    /** Plain TCP. */
    record Tcp() implements ListenerKind {}

    /**
     * WebSocket, subprotocol {@code mqtt}.
     *
     * @param path the path that clients ask for, most often {@code /mqtt}
     */
    record WebSocket(String path) implements ListenerKind {

        /** Checks that it is a path. */
        public WebSocket {
            if (!path.startsWith("/")) {
                throw new IllegalArgumentException("path " + path + ": must begin with /");
            }
        }
    }
}
