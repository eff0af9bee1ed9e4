package io.tributary.perf.target;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** How a proxy in front of several nodes chooses one for a new connection, as HAProxy and NGINX say it. */
enum Balancing {
    /** One after the other. */
    ROUND_ROBIN("", "balance roundrobin"),
    /** The node with the fewest connections. */
    LEAST_CONNECTIONS("least_conn;", "balance leastconn"),
    /** The same; of several with as few the one whose last health check took the shortest time. */
    LEAST_RESPONSE_TIME(null, "balance leastconn", "use-server %[lua.least_response_time] if TRUE"),
    /** The fewest connections, which count for more the longer a node takes to answer health checks. */
    HYBRID(null, "balance leastconn", "use-server %[lua.hybrid] if TRUE"),
    /** The fewest connections, which count for more the more a node has to do, as it says itself. */
    LOAD(null, "balance leastconn", "default-server weight 100 agent-check agent-inter 2s"),
    /**
     * By the client identifier in CONNECT: a client comes back to its node. The proxy reads the first packet before it
     * connects; what is no CONNECT it does not let through.
     */
    CLIENT_IDENTIFIER(
            null,
            "tcp-request inspect-delay 10s",
            "tcp-request content reject unless { req.payload(0,0),mqtt_is_valid }",
            // In a variable: where a server is chosen, HAProxy cannot look into the packet any more.
            "tcp-request content set-var(txn.client) req.payload(0,0),mqtt_field_value(connect,client_identifier)",
            "balance hash var(txn.client)",
            "hash-type consistent");

    private final @Nullable String nginx;
    private final String lines;

    /**
     * A policy.
     *
     * @param nginx the line of an upstream; null where NGINX has no such policy without more modules
     * @param haproxy the lines of a back-end
     */
    Balancing(@Nullable String nginx, String... haproxy) {
        this.nginx = nginx;
        lines = String.join("\n", haproxy);
    }

    /** The policy of a word of the command line, such as {@code round-robin}. */
    static Balancing of(String word) {
        return Arrays.stream(values())
                .filter(policy -> policy.word().equals(word))
                .findFirst()
                .orElseThrow(() -> new TargetException("there is no policy '" + word + "'; one of " + words()));
    }

    /** All words, for people. */
    static String words() {
        return Arrays.stream(values()).map(Balancing::word).collect(Collectors.joining(", "));
    }

    /** The word for it. */
    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * The line of NGINX's upstream.
     *
     * @throws TargetException if it has no such policy
     */
    String nginx() {
        if (nginx == null) {
            throw new TargetException(
                    "NGINX has no policy " + word() + " here, HAProxy has: haproxy:" + word() + ":...");
        }
        return nginx;
    }

    /** Whether nodes are asked for how long they take to answer CONNECT. */
    boolean asksNodes() {
        return this == LEAST_RESPONSE_TIME || this == HYBRID;
    }

    /** The lines of HAProxy's back-end. */
    List<String> haproxy() {
        return lines.lines().toList();
    }
}
