package io.tributary.broker.connection;

import io.tributary.broker.session.SessionServices;

/**
 * What all connections of a listener share.
 *
 * @param config the listener
 * @param network how sockets are run
 * @param admission which connections it takes
 * @param services what all sessions share
 * @param unfinished the memory for packets of which only a part has come
 * @param recorder counts what goes over sockets
 */
record ListenerContext(
        ListenerConfig config,
        NetworkConfig network,
        ListenerAdmission admission,
        SessionServices services,
        UnfinishedPackets unfinished,
        ConnectionRecorder recorder) {

    String name() {
        return config.name();
    }
}
