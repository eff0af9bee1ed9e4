package io.tributary.broker.network;

import io.netty.channel.Channel;
import io.tributary.broker.connection.ClientConnections;
import io.tributary.broker.connection.ConnectionServices;
import io.tributary.broker.guard.Guard;
import io.tributary.broker.loop.LoopMailboxes;
import java.util.Locale;

/**
 * Everything that the connections of a listener share.
 *
 * @param config the listener
 * @param network how sockets are run
 * @param admission which connections it takes
 * @param services the services that all connections share
 * @param connections where deliveries find the connection of a client
 * @param mailboxes the mailboxes of the event loops
 * @param unfinished the memory for packets of which only a part has come
 * @param strays clients that are set up for something else
 * @param recorder counts what goes over sockets
 */
record ListenerContext(
        ListenerConfig config,
        NetworkConfig network,
        ListenerAdmission admission,
        ConnectionServices services,
        ClientConnections connections,
        LoopMailboxes mailboxes,
        UnfinishedPackets unfinished,
        StrayClients strays,
        NetworkRecorder recorder) {

    String name() {
        return config.name();
    }

    /** Who connects too often, or is banned. */
    Guard guard() {
        return services.guard();
    }

    /**
     * A connection is closed before its CONNECT is looked at.
     *
     * @param did what it did, for the log
     */
    void refused(Channel client, EntryRefusal reason, String did) {
        recorder.refused(name(), reason);
        strays.came(client, did);
        guard().closed(name(), ClientOrigin.text(client), reason.name().toLowerCase(Locale.ROOT), "the client " + did);
    }
}
