package io.tributary.broker.sys;

/** The figures behind the {@code $SYS} topics, at one time: those of a node, or the sums of several. */
public record SysStats(Clients clients, Traffic traffic, StoredStats kept) {

    /**
     * The sums of these and another node's. What every node has a copy of is not added: it stays as it is here.
     *
     * @param other what another node of the same cluster says
     */
    SysStats plus(SysStats other) {
        return new SysStats(clients.plus(other.clients), traffic.plus(other.traffic), kept.plus(other.kept));
    }

    /**
     * The clients that have sessions.
     *
     * @param connected those with a connection
     * @param disconnected persistent sessions without one
     * @param maximum the most that were connected to one node at once
     * @param applications applications with a connection
     */
    public record Clients(long connected, long disconnected, long maximum, long applications) {
        private Clients plus(Clients other) {
            return new Clients(
                    connected + other.connected,
                    disconnected + other.disconnected,
                    Math.max(maximum, other.maximum),
                    applications + other.applications);
        }
    }

    /**
     * Traffic since the node started.
     *
     * @param connections connections that were opened
     * @param packets MQTT packets of all types
     * @param publishes PUBLISH packets
     * @param publishesDropped messages, or copies of them, that somebody was to get and did not
     * @param publishesUnmatched messages to whose topic nobody subscribes
     * @param bytes bytes on the wire
     */
    public record Traffic(
            long connections,
            Flow packets,
            Flow publishes,
            long publishesDropped,
            long publishesUnmatched,
            Flow bytes) {
        private Traffic plus(Traffic other) {
            return new Traffic(
                    connections + other.connections,
                    packets.plus(other.packets),
                    publishes.plus(other.publishes),
                    publishesDropped + other.publishesDropped,
                    publishesUnmatched + other.publishesUnmatched,
                    bytes.plus(other.bytes));
        }
    }

    /** A count for either direction. */
    public record Flow(long received, long sent) {
        private Flow plus(Flow other) {
            return new Flow(received + other.received, sent + other.sent);
        }
    }

    /**
     * The broker's stored state.
     *
     * @param queuedMessages messages in the queues of the persistent sessions whose shards this node owns
     * @param persistent what all persistent sessions are subscribed to: every node has a copy
     * @param transients what the other sessions of this node are subscribed to
     * @param retainedMessages retained messages: every node has a copy
     */
    public record StoredStats(
            long queuedMessages, Subscribed persistent, Subscribed transients, long retainedMessages) {
        private StoredStats plus(StoredStats other) {
            return new StoredStats(
                    queuedMessages + other.queuedMessages,
                    persistent,
                    transients.plus(other.transients),
                    retainedMessages);
        }

        /** What sessions of both kinds are subscribed to. */
        Subscribed subscribed() {
            return persistent.plus(transients);
        }
    }

    /**
     * How many subscriptions there are.
     *
     * @param plain subscriptions, shared ones not counted
     * @param shared memberships in shared subscriptions
     */
    public record Subscribed(long plain, long shared) {
        private Subscribed plus(Subscribed other) {
            return new Subscribed(plain + other.plain, shared + other.shared);
        }
    }
}
