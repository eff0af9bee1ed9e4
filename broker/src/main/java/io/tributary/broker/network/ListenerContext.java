package io.tributary.broker.network;

import io.tributary.broker.connection.ClientConnections;
import io.tributary.broker.connection.ConnectionServices;
import io.tributary.broker.loop.LoopMailboxes;

/**
 * What all connections of a listener share.
 *
 * @param config the listener
 * @param network how sockets are run
 * @param admission which connections it takes
 * @param services what all sessions share
 * @param sessions where sessions are found by those who deliver to them
 * @param mailboxes those of the event loops
 * @param unfinished the memory for packets of which only a part has come
 * @param recorder counts what goes over sockets
 */
record ListenerContext(
        ListenerConfig config,
        NetworkConfig network,
        ListenerAdmission admission,
        ConnectionServices services,
        ClientConnections sessions,
        LoopMailboxes mailboxes,
        UnfinishedPackets unfinished,
        NetworkRecorder recorder) {

    String name() {
        return config.name();
    }
}
