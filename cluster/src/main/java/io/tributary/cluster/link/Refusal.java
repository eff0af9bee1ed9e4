package io.tributary.cluster.link;

import org.jspecify.annotations.Nullable;

/** Why a connection between nodes did not become a link. The code goes over the wire; the words are for the log. */
public enum Refusal {
    /** Another cluster. */
    WRONG_CLUSTER(1, "the cluster ids differ: give all nodes of a cluster the same cluster id"),
    /** Another secret. */
    WRONG_SECRET(2, "the cluster secrets differ: give all nodes of a cluster the same secret"),
    /** No version in common. */
    WRONG_VERSION(3, "there is no version of the link protocol that both know: upgrade one version at a time"),
    /** The dialer meant another node. */
    WRONG_NODE(4, "the address belongs to another node, or to another process of it: correct it if this goes on"),
    /** The peer is not the node of the two that is to dial. */
    WRONG_DIRECTION(5, "of two nodes the one with the smaller name dials: give each node a name of its own"),
    /** Not in the table of nodes. */
    UNKNOWN_NODE(6, "the node that connects is not among the live nodes of the cluster, or not yet"),
    /** A newer process of the same name was there. */
    OUTDATED(7, "a newer process has the name of the node that connects: stop one of the two, or rename it"),
    /** One side alone has TLS, or they do not trust each other. */
    NO_TLS(
            0,
            "TLS did not come about: give all nodes tributary.cluster.link.tls, with certificates of an authority that all"
                    + " trust, or none"),
    /** The other side, which this one has dialled, says nothing. */
    ENDED_BEFORE_TLS(
            0,
            "TLS did not come about, for the other side ended the connection: its log says why, unless it was stopped;"
                    + " give all nodes tributary.cluster.link.tls, or none"),
    /** The bytes are none that a node sends. */
    MALFORMED(0, "what came is not what a node sends: let only nodes reach this port"),
    /** Too slow. */
    TIMEOUT(0, "the other side did not authenticate in time"),
    /** Too many at once. */
    CROWDED(0, "too many connections have not authenticated: let only nodes reach this port");

    private static final Refusal[] ALL = values();

    private final int code;
    private final String words;

    Refusal(int code, String words) {
        this.code = code;
        this.words = words;
    }

    /** What it is and what to change. */
    public String words() {
        return words;
    }

    /** Whether it happens without anybody's fault while nodes start and stop. */
    boolean isPassing() {
        return this == UNKNOWN_NODE || this == WRONG_NODE;
    }

    /** The number on the wire; 0 for what the peer is not told. */
    int code() {
        return code;
    }

    /** The refusal with the number, or null when there is none. */
    static @Nullable Refusal of(int code) {
        for (Refusal refusal : ALL) {
            if (code != 0 && refusal.code == code) {
                return refusal;
            }
        }
        return null;
    }
}
