package io.tributary.broker.metrics;

import java.util.List;
import java.util.Locale;

/**
 * Every meter of the broker; those of Kafka, Redis, links and the cluster are there in a cluster only.
 * {@code docs/metrics.md} is generated from this list.
 */
public enum BrokerMeters {
    // Connections
    /** Connections that were opened. */
    CONNECTIONS_OPENED("tributary.connections.opened", Type.COUNTER, "Connections that were opened.", "listener"),
    /** Connections that were closed. */
    CONNECTIONS_CLOSED("tributary.connections.closed", Type.COUNTER, "Connections that were closed.", "listener"),
    /** Connections closed without an answer. */
    CONNECTIONS_REJECTED(
            "tributary.connections.rejected",
            Type.COUNTER,
            "Connections that were closed at once, because the listener's limits were reached.",
            "listener"),
    /** Connections that were refused before CONNECT. */
    CONNECTIONS_REFUSED(
            "tributary.connections.refused",
            Type.COUNTER,
            "Connections that were closed before their CONNECT was looked at, and why; docs/security.md says what each reason"
                    + " means.",
            "listener",
            "reason"),
    /** Memory of clients that are not known yet. */
    UNAUTHENTICATED_MEMORY(
            "tributary.connections.unauthenticated.memory",
            Type.GAUGE,
            Unit.BYTES,
            "What connections have sent whose clients are not known yet, at most tributary.security.unauthenticated.memory."),
    /** Connections that have sent nothing. */
    SILENT_CONNECTIONS(
            "tributary.connections.silent",
            Type.GAUGE,
            "Connections that have sent nothing yet; docs/security.md says how many may."),
    /** Bans. */
    BANNED(
            "tributary.clients.bans.made",
            Type.COUNTER,
            "Clients that this node has banned by itself: what of them (client_id, user, address) and what for (failures,"
                    + " flapping).",
            "kind",
            "cause"),
    /** Bans that last. */
    BANS("tributary.clients.bans", Type.GAUGE, "Automatic bans that this node knows and that are not over."),
    /** Connections that the system did not let in. */
    CONNECTIONS_UNACCEPTED(
            "tributary.connections.unaccepted",
            Type.COUNTER,
            "How often a connection could not be accepted because no file descriptor was left, or the system refused for another"
                    + " reason; tried again each second.",
            "listener"),
    /** Clients that did not read. */
    CONNECTIONS_STALLED(
            "tributary.connections.stalled",
            Type.COUNTER,
            "Clients that were disconnected because they read nothing for longer than tributary.network.max-stall."),
    /** Connections without buffers. */
    CONNECTIONS_WITHOUT_MEMORY(
            "tributary.connections.without.memory",
            Type.COUNTER,
            "Connections that were closed because no memory outside the Java heap was left for the buffers of sockets."),
    /** MQTT packets. */
    PACKETS("tributary.network.packets", Type.COUNTER, "MQTT packets of all types.", "direction"),
    /** Bytes of MQTT packets. */
    BYTES("tributary.network.bytes", Type.COUNTER, Unit.BYTES, "The size of all MQTT packets.", "direction"),
    /** Memory of socket buffers. */
    DIRECT_MEMORY(
            "tributary.network.direct.memory",
            Type.GAUGE,
            Unit.BYTES,
            "Memory outside the Java heap that Netty holds for the buffers of sockets."),
    /** The most of it. */
    DIRECT_MEMORY_MAX(
            "tributary.network.direct.memory.max",
            Type.GAUGE,
            Unit.BYTES,
            "The most memory that these may take, -XX:MaxDirectMemorySize or the JVM's own default; when it is used up,"
                    + " connections are closed."),
    /** The wait for event loops. */
    LOOP_LAG(
            "tributary.network.loop.lag",
            Type.GAUGE,
            Unit.SECONDS,
            "How late a task of an event loop begins, the longest of all loops within the last second."),

    // TLS
    /** Handshakes. */
    TLS_HANDSHAKES(
            "tributary.tls.handshakes",
            Type.COUNTER,
            "TLS handshakes that succeeded or failed.",
            "listener",
            "outcome"),
    /** Handshakes that failed. */
    TLS_HANDSHAKES_FAILED(
            "tributary.tls.handshakes.failed",
            Type.COUNTER,
            "TLS handshakes that failed, and why; docs/security.md says what each reason means.",
            "listener",
            "reason"),
    /** Handshakes that had to wait. */
    TLS_HANDSHAKES_WAITED(
            "tributary.tls.handshakes.waited",
            Type.COUNTER,
            "TLS handshakes that began later because the listener's tls.max-handshakes were under way.",
            "listener"),
    /** Changed files. */
    TLS_RELOADS(
            "tributary.tls.reloads",
            Type.COUNTER,
            "How often files of certificates, keys, authorities or revocation lists, or that of the cluster secret, had"
                    + " changed and were taken (success), or could not be used (failure).",
            "listener",
            "outcome"),
    /** Changed files that cannot be used. */
    TLS_RELOAD_FAILING(
            "tributary.tls.reload.failing",
            Type.GAUGE,
            "1 as long as such files have changed and cannot be used, so that the ones before stay in use; else 0.",
            "listener"),
    /** Connections of clients whose certificates are revoked. */
    TLS_REVOKED(
            "tributary.tls.revoked",
            Type.COUNTER,
            "Connections that were closed because the client's certificate appeared on a revocation list.",
            "listener"),
    /** When certificates expire. */
    TLS_CERTIFICATE_EXPIRY(
            "tributary.tls.certificate.expiry",
            Type.GAUGE,
            Unit.SECONDS,
            "How long until a certificate of this broker expires; negative afterwards. host is the label under"
                    + " tls.hosts, or default.",
            "listener",
            "host"),

    // Clients
    /** Connected clients. */
    CONNECTIONS("tributary.connections", Type.GAUGE, "Clients that are connected."),
    /** Clients by kind. */
    CLIENTS("tributary.clients", Type.GAUGE, "Clients that are connected, by what they are.", "kind"),
    /** Accepted clients. */
    CLIENTS_CONNECTED(
            "tributary.clients.connected",
            Type.COUNTER,
            "Clients that were accepted, with a new session or a resumed one.",
            "session"),
    /** Refused clients. */
    CLIENTS_REFUSED("tributary.clients.refused", Type.COUNTER, "CONNECTs that were refused, and why.", "reason"),
    /** Clients that wanted the session of another principal. */
    TAKEOVERS_REFUSED(
            "tributary.clients.takeovers.refused",
            Type.COUNTER,
            "CONNECTs that were refused for the client identifier has a session of another principal."),
    /** What authenticators said. */
    AUTHENTICATIONS(
            "tributary.authentications",
            Type.COUNTER,
            "What authenticators said of clients: accepted, refused, not_mine (left to the next), unavailable, busy. The"
                    + " authenticator anonymous is clients without credentials, nobody is clients that none knew.",
            "authenticator",
            "outcome"),
    /** Clients that were refused for their bans. */
    CLIENTS_BANNED(
            "tributary.clients.banned",
            Type.COUNTER,
            "Clients that were refused because of a ban of the store: of their address, client identifier, user or tenant."
                    + " Automatic bans do not count.",
            "subject"),
    /** Connections of tenants. */
    TENANT_CONNECTIONS(
            "tributary.tenants.connections",
            Type.GAUGE,
            "Connections of a tenant's clients to this node. The first 1,000 tenants that a node sees have meters of their"
                    + " own, here and below; tenant=\"other\" is all others together.",
            "tenant"),
    /** Persistent sessions of tenants. */
    TENANT_SESSIONS(
            "tributary.tenants.sessions",
            Type.GAUGE,
            "Persistent sessions of a tenant in this node's shards.",
            "tenant"),
    /** Subscriptions of tenants. */
    TENANT_SUBSCRIPTIONS(
            "tributary.tenants.subscriptions",
            Type.GAUGE,
            "Subscriptions of a tenant: of all persistent sessions of the cluster, and of this node's other sessions.",
            "tenant"),
    /** Retained messages of tenants. */
    TENANT_RETAINED_MESSAGES(
            "tributary.tenants.retained.messages",
            Type.GAUGE,
            "Topics of a tenant with a retained message, as each node knows them.",
            "tenant"),
    /** The size of these. */
    TENANT_RETAINED_SIZE(
            "tributary.tenants.retained.size",
            Type.GAUGE,
            Unit.BYTES,
            "The memory that these messages take, about.",
            "tenant"),
    /** Queues of tenants. */
    TENANT_QUEUED_SIZE(
            "tributary.tenants.queued.size",
            Type.GAUGE,
            Unit.BYTES,
            "The size of the messages in the queues of a tenant's persistent sessions, in this node's shards.",
            "tenant"),
    /** Messages of tenants. */
    TENANT_MESSAGES(
            "tributary.tenants.messages",
            Type.COUNTER,
            "Messages that a tenant's clients published, and messages that were sent to them.",
            "tenant",
            "direction"),
    /** The size of these. */
    TENANT_BYTES(
            "tributary.tenants.bytes",
            Type.COUNTER,
            Unit.BYTES,
            "The size of these messages, as the limits count it.",
            "tenant",
            "direction"),
    /** What tenants' limits refused. */
    TENANT_REFUSED(
            "tributary.tenants.refused",
            Type.COUNTER,
            "What was refused because of a tenant's limit, and how often a client is read later because of a rate.",
            "tenant",
            "limit"),
    /** Changes of security objects. */
    SECURITY_CHANGES(
            "tributary.security.changes",
            Type.COUNTER,
            "Changes of users, device tokens, rule sets, bans and tenants that were asked of this node: done, conflict,"
                    + " refused, not_now, unknown.",
            "outcome"),
    /** Requests without the right token. */
    API_UNAUTHORIZED(
            "tributary.api.unauthorized", Type.COUNTER, "Requests to the API that had not the administrators' token."),
    /** Ended connections of accepted clients. */
    CLIENTS_DISCONNECTED(
            "tributary.clients.disconnected",
            Type.COUNTER,
            "Accepted clients whose connection ended, and why.",
            "reason"),
    /** Clients that other nodes are to have. */
    CLIENTS_SENT_AWAY(
            "tributary.clients.sent.away",
            Type.COUNTER,
            "Clients that were told to go to another node, because this one is drained (drain) or has more than others"
                    + " (rebalance).",
            "cause"),
    /** Silent clients. */
    KEEP_ALIVE_TIMEOUTS(
            "tributary.clients.keepalive.timeouts",
            Type.COUNTER,
            "Clients that sent nothing for one and a half times their keep alive."),
    /** Pauses in reading. */
    READING_PAUSED(
            "tributary.clients.reading.paused",
            Type.COUNTER,
            "How often the broker stopped reading from a client for a while, and why.",
            "reason"),

    // Messages
    /** Messages that came in. */
    MESSAGES_RECEIVED(
            "tributary.messages.received",
            Type.COUNTER,
            "Messages that came in, from clients and from the broker itself.",
            "qos"),
    /** Copies that were handed on. */
    MESSAGES_DELIVERED(
            "tributary.messages.delivered",
            Type.COUNTER,
            "Copies of messages that were handed on to their receivers or their queues."),
    /** Messages that went nowhere. */
    MESSAGES_DROPPED(
            "tributary.messages.dropped",
            Type.COUNTER,
            "Messages, or copies of them, that went nowhere: in the router, in the queue of a persistent session, or on their"
                    + " way to or from a connected client. rules is the rule set that says so, where one does (the first 100 names, then"
                    + " other), and none elsewhere: also where there is no rule that allows it.",
            "place",
            "rules",
            "reason"),
    /** Messages that were not sent in time. */
    DEADLINES_MISSED(
            "tributary.deadlines.missed",
            Type.COUNTER,
            "Messages that expired in a queue before they were sent, by the first rule of tributary.priorities.rules for their"
                    + " topic; those without a rule are not counted here.",
            "rule"),
    /** The time to an acknowledgement. */
    MESSAGES_ACKNOWLEDGED(
            "tributary.messages.acknowledged",
            Type.TIMER,
            "From a PUBLISH of QoS 1 to its PUBACK, or of QoS 2 to its PUBREC. One message in sixteen is timed, and counted here.",
            "qos"),
    /** The time to a delivery. */
    MESSAGES_DELIVERY(
            "tributary.messages.delivery",
            Type.TIMER,
            "From when a message was in the log until its session's shard handed it to the connection of the subscriber, if that"
                    + " was at once; in whole milliseconds. One message in sixteen is timed, and counted here."),
    /** Unacknowledged messages. */
    MESSAGES_IN_FLIGHT(
            "tributary.messages.in.flight",
            Type.GAUGE,
            "Messages that were sent to clients and are not acknowledged yet."),
    /** Messages in queues. */
    QUEUED_MESSAGES("tributary.messages.queued", Type.GAUGE, "Messages in the queues of persistent sessions."),
    /** What is between queues and connections. */
    DELIVERY_SIZE(
            "tributary.shards.delivery.size",
            Type.GAUGE,
            Unit.BYTES,
            "Memory taken by messages of persistent sessions that connections were handed, and by those that are kept because their"
                    + " session is behind; tributary.shards.delivery-size is the most."),
    /** The memory of wills. */
    WILL_SIZE(
            "tributary.shards.will.size",
            Type.GAUGE,
            Unit.BYTES,
            "Memory taken by the wills of sessions in this node's shards, also of those that are away."),
    /** The most of it. */
    WILL_SIZE_MAX(
            "tributary.shards.will.size.max",
            Type.GAUGE,
            Unit.BYTES,
            "The most memory that wills may take, tributary.shards.will-size or its default."),

    // What is kept
    /** Persistent sessions. */
    PERSISTENT_SESSIONS(
            "tributary.sessions.persistent", Type.GAUGE, "Sessions that outlive their connection, connected or not."),
    /** Subscriptions. */
    SUBSCRIPTIONS("tributary.subscriptions", Type.GAUGE, "Subscriptions of all sessions, shared ones not counted."),
    /** The memory of subscriptions. */
    SUBSCRIPTIONS_SIZE(
            "tributary.subscriptions.size",
            Type.GAUGE,
            Unit.BYTES,
            "About how much memory all subscriptions take that this node knows."),
    /** The most of it. */
    SUBSCRIPTIONS_SIZE_MAX(
            "tributary.subscriptions.size.max",
            Type.GAUGE,
            Unit.BYTES,
            "The most memory that they may take, tributary.subscriptions.max-size or its default."),
    /** Subscriptions without room. */
    SUBSCRIPTIONS_REFUSED(
            "tributary.subscriptions.refused",
            Type.COUNTER,
            "Subscriptions that were refused because all together take as much memory as they may."),
    /** Subscriptions that rules took. */
    SUBSCRIPTIONS_WITHDRAWN(
            "tributary.subscriptions.withdrawn",
            Type.COUNTER,
            "Subscriptions that this node took from their clients after a change of rules: removed, or lowered to a lower QoS.",
            "change"),
    /** Shared subscriptions. */
    SHARED_SUBSCRIPTIONS("tributary.subscriptions.shared", Type.GAUGE, "Memberships in shared subscriptions."),
    /** Retained messages. */
    RETAINED_MESSAGES("tributary.retained.messages", Type.GAUGE, "Topics with a retained message."),
    /** The size of retained messages. */
    RETAINED_SIZE("tributary.retained.size", Type.GAUGE, Unit.BYTES, "The memory that retained messages take, about."),

    // Shards
    /** Shards that went live. */
    SHARD_TAKEOVERS(
            "tributary.shards.takeovers",
            Type.COUNTER,
            "How often a shard caught up with its log and went live: once for each shard at the start."),
    /** Log records. */
    SHARD_RECORDS("tributary.shards.records", Type.COUNTER, "Records of the shards' logs that were applied."),
    /** Deleted log records. */
    SHARD_RECORDS_LOST(
            "tributary.shards.records.lost",
            Type.COUNTER,
            "Records that the log's retention had deleted before they were applied: what they said is lost."),
    /** Logs that lost their end. */
    SHARD_LOG_WENT_BACK(
            "tributary.shards.log.went.back",
            Type.COUNTER,
            "Logs of shards that had lost records which they had acknowledged, as their new owner or the one before noticed."),
    /** How many messages applications are behind. */
    APPLICATION_LAG(
            "tributary.applications.lag",
            Type.GAUGE,
            "Messages in an application's topic that it has not acknowledged, by the owner of its shard; in a topic that"
                    + " applications share, those for others count until it has come past them. The first 1,000 applications"
                    + " of a node; those whose names differ in control characters alone are added up.",
            "client"),
    /** How large they are. */
    APPLICATION_LAG_SIZE(
            "tributary.applications.lag.size",
            Type.GAUGE,
            Unit.BYTES,
            "About how large these messages are, by the mean size of what the application read last; NaN until it has read"
                    + " something from the shard's present owner.",
            "client"),
    /** How long. */
    APPLICATION_LAG_AGE(
            "tributary.applications.lag.age",
            Type.GAUGE,
            Unit.SECONDS,
            "For how long the oldest of these messages has been there at least, to about 10 seconds; after the shard's owner"
                    + " has changed, no more than since then, or since the application left.",
            "client"),
    /** Messages of applications' shared subscriptions that come again. */
    APPLICATION_REDELIVERED(
            "tributary.applications.redelivered",
            Type.COUNTER,
            "Messages of shared subscriptions that an application left unacknowledged, so that another one gets them."),
    /** Messages of applications' shared subscriptions that are given up. */
    APPLICATION_DEAD_LETTERS(
            "tributary.applications.dead.letters",
            Type.COUNTER,
            "Messages of shared subscriptions that applications left unacknowledged too often, and that were published as dead"
                    + " letters."),
    /** Messages of applications' shared subscriptions that go to nobody. */
    APPLICATION_DROPPED(
            "tributary.applications.shared.dropped",
            Type.COUNTER,
            "Messages of applications' shared subscriptions that went to no member, and why.",
            "reason"),
    /** Deleted records of applications. */
    APPLICATION_RECORDS_LOST(
            "tributary.applications.records.lost",
            Type.COUNTER,
            "Records of applications' own topics that were deleted before the application had acknowledged them: their retention"
                    + " was over, or somebody deleted the topic (then as far as it is known how many there were)."),
    /** Topics of applications that were made anew. */
    APPLICATION_TOPICS_MADE_ANEW(
            "tributary.applications.topics.made.anew",
            Type.COUNTER,
            "Topics of applications that were deleted, or lost their end, while the application's session lives; they were made anew,"
                    + " and what the application had not acknowledged is lost."),
    /** Rebuilt shards. */
    SHARD_RESTORES(
            "tributary.shards.restores",
            Type.COUNTER,
            "How often a shard's state was rebuilt from its log alone, with nothing lost, for the store had lost it."),
    /** Log snapshots that are late. */
    SHARD_SNAPSHOT_DELAY(
            "tributary.shards.snapshot.delay",
            Type.GAUGE,
            Unit.SECONDS,
            "How much later than it was due the next log snapshot of this node's shards is complete, the longest of all;"
                    + " at three quarters of the log's retention a shard cannot be rebuilt from its log alone."),
    /** Save points. */
    SAVE_POINTS("tributary.shards.save.points", Type.COUNTER, "Save points that were stored."),
    /** Stored messages. */
    SAVED_MESSAGES("tributary.shards.saved.messages", Type.COUNTER, "Queued messages stored with save points."),
    /** Messages that were looked at by the sweep. */
    SWEPT_MESSAGES(
            "tributary.shards.swept.messages",
            Type.COUNTER,
            "Queued messages of sessions that are away that were looked at for whether they have expired"
                    + " (tributary.shards.expiry-sweep)."),
    /** Failures of the store, as shards see them. */
    STORE_FAILURES(
            "tributary.shards.store.failures", Type.COUNTER, "Save points and reads that failed and were tried again."),

    // The embedded store
    /** Commits. */
    COMMITS(
            "tributary.storage.commits",
            Type.TIMER,
            "How long commits took; one carries all writes that waited for it."),
    /** Syncs. */
    SYNCS(
            "tributary.storage.syncs",
            Type.TIMER,
            "How long it took to bring the write-ahead log to the disk, beside commits that do."),
    /** Writes. */
    WRITES("tributary.storage.writes", Type.COUNTER, "Writes that were committed."),
    /** Bytes written. */
    WRITTEN("tributary.storage.written", Type.COUNTER, Unit.BYTES, "The size of what was committed."),
    /** Waiting bytes. */
    COMMIT_QUEUE(
            "tributary.storage.queue", Type.GAUGE, Unit.BYTES, "What waits for its commit, or is being tried again."),
    /** Memory of the embedded store. */
    STORAGE_MEMORY(
            "tributary.storage.memory",
            Type.GAUGE,
            Unit.BYTES,
            "What the embedded store has in memory outside the Java heap: write buffers, cached blocks and what it keeps of open"
                    + " files. 0 in a cluster."),
    /** Refused appends. */
    REFUSALS(
            "tributary.storage.refusals",
            Type.COUNTER,
            "Appends that were refused because tributary.storage.append-queue-size was reached."),
    /** Errors. */
    STORAGE_ERRORS("tributary.storage.errors", Type.COUNTER, "Commits, syncs and reads that failed."),

    // Kafka
    /** Records that were read. */
    KAFKA_RECORDS(
            "tributary.kafka.records",
            Type.COUNTER,
            "Records of all topics that were read: a node reads the logs of its own shards, and all subscriptions and retained"
                    + " messages."),
    /** Records that were folded before they were read. */
    KAFKA_EARLY(
            "tributary.kafka.records.early",
            Type.COUNTER,
            "Records of this node's shards that were folded when Kafka had acknowledged them, and read back later; only while no"
                    + " other node is alive."),
    /** Refused appends. */
    KAFKA_REFUSALS(
            "tributary.kafka.refusals",
            Type.COUNTER,
            "Appends that were refused because tributary.cluster.kafka.buffer-size was reached, or a topic is not known at the"
                    + " moment; publishers are read more slowly then."),
    /** The oldest append that is not acknowledged. */
    KAFKA_APPENDS_AGE(
            "tributary.kafka.appends.age",
            Type.GAUGE,
            Unit.SECONDS,
            "For how long the oldest append has waited that Kafka has not acknowledged; 0 where none waits. Kafka's client tries"
                    + " again without a word, for ever: in tributary.kafka.errors it is not."),
    /** Records that are none of ours. */
    KAFKA_UNREADABLE(
            "tributary.kafka.unreadable",
            Type.COUNTER,
            "Records of applications' topics that could not be read as a message, and were skipped: somebody else produced them."),
    /** Records of others among the shards'. */
    KAFKA_FOREIGN(
            "tributary.kafka.foreign",
            Type.COUNTER,
            "Records of the shards' topic that were skipped: somebody else than a broker produced them."),
    /** Errors. */
    KAFKA_ERRORS(
            "tributary.kafka.errors",
            Type.COUNTER,
            "Reads and questions that Kafka did not answer, or with an error; they are tried again."),

    // Redis
    /** Answered calls. */
    REDIS_CALLS(
            "tributary.redis.calls",
            Type.TIMER,
            "How long successful calls took, from the call to the answer.",
            "operation"),
    /** Failed calls. */
    REDIS_FAILURES("tributary.redis.failures", Type.COUNTER, "Calls that failed, and why.", "operation", "reason"),
    /** Bytes. */
    REDIS_BYTES(
            "tributary.redis.bytes",
            Type.COUNTER,
            Unit.BYTES,
            "The size of successful calls and of their answers.",
            "direction"),
    /** Waiting reads. */
    REDIS_WAITING_READS(
            "tributary.redis.waiting.reads",
            Type.GAUGE,
            "Reads of queues that wait because tributary.cluster.redis.concurrent-reads are on their way, as it was when one of"
                    + " these last came back."),

    // Links between nodes
    /** Links. */
    LINKS("tributary.links", Type.GAUGE, "Other nodes with which this one has a link."),
    /** Broken links. */
    LINKS_ENDED("tributary.links.ended", Type.COUNTER, "Links that ended, whatever the reason."),
    /** Silent and stalled links. */
    LINK_TIMEOUTS(
            "tributary.links.timeouts",
            Type.COUNTER,
            "Links that were closed because nothing came for too long, or the other node read nothing for too long.",
            "reason"),
    /** Attempts. */
    LINK_RECONNECTS("tributary.links.reconnects", Type.COUNTER, "How often connecting to a node was tried again."),
    /** Connections that became no link. */
    LINKS_REFUSED(
            "tributary.links.refused", Type.COUNTER, "Connections that did not become a link, and why.", "reason"),
    /** Frames. */
    LINK_FRAMES(
            "tributary.links.frames",
            Type.COUNTER,
            "Frames over links; of those that came, heartbeats are not counted.",
            "direction"),
    /** Bytes. */
    LINK_BYTES("tributary.links.bytes", Type.COUNTER, Unit.BYTES, "The size of what went over links.", "direction"),
    /** Frames that were not taken. */
    LINK_FRAMES_REFUSED(
            "tributary.links.frames.refused",
            Type.COUNTER,
            "Frames that were not sent: there was no link any more, or tributary.cluster.link.outbound-size was reached."),

    // The cluster
    /** Live nodes. */
    CLUSTER_NODES("tributary.cluster.nodes", Type.GAUGE, "Live nodes of the cluster, this one counted."),
    /** Shards of this node. */
    SHARDS_OWNED("tributary.cluster.shards.owned", Type.GAUGE, "Shards that this node owns."),
    /** Shards of nobody. */
    SHARDS_UNOWNED(
            "tributary.cluster.shards.unowned",
            Type.GAUGE,
            "Shards that nobody is known to own: their clients cannot connect."),
    /** Shards of this node without a store. */
    SHARDS_UNSAVED(
            "tributary.cluster.shards.unsaved",
            Type.GAUGE,
            "Shards of this node for whose state Redis does not work at the moment; health says why."),
    /** Shards that take no more. */
    SHARDS_LAGGING(
            "tributary.cluster.shards.lagging",
            Type.GAUGE,
            "Shards of the cluster that are behind by half of the retention: what is published for their sessions is refused."),
    /** Whether it is behind. */
    BEHIND(
            "tributary.cluster.behind",
            Type.GAUGE,
            "1 while this node is behind with subscriptions and retained messages, and takes no messages from publishers; else 0."),
    /** Whether formats are on hold. */
    FORMATS_HELD(
            "tributary.cluster.formats.held",
            Type.GAUGE,
            "1 while this node keeps the cluster from writing this version's formats, until the upgrade is finished; else 0."),
    /** Problems. */
    CLUSTER_PROBLEMS("tributary.cluster.problems", Type.GAUGE, "How many problems readiness tells of in words."),
    /** Messages to other nodes. */
    HANDED_OVER(
            "tributary.cluster.messages.handed",
            Type.COUNTER,
            "Messages that were handed to another node, for its clients whose sessions end with their connection."),
    /** Messages that other nodes did not take. */
    GIVEN_UP(
            "tributary.cluster.messages.untaken",
            Type.COUNTER,
            "Messages for another node's clients that it did not take: no link, no room, or no answer in time."),
    /** Nodes that were not waited for. */
    LEFT_OUT(
            "tributary.cluster.left.out",
            Type.COUNTER,
            "How often a node that is behind was not waited for any longer (tributary.cluster.visibility.leave-out)."),
    /** Refused waits. */
    VISIBILITY_REFUSED(
            "tributary.cluster.visibility.refused",
            Type.COUNTER,
            "Changes that were refused because too many wait until all nodes have them."),
    /** Suspicions. */
    SUSPECTED(
            "tributary.cluster.suspected",
            Type.COUNTER,
            "How often most other nodes took this one for gone, and its shards went to them for some time."),
    /** Deaths. */
    DECLARED_DEAD(
            "tributary.cluster.declared.dead",
            Type.COUNTER,
            "How often this node was declared dead by the others; it then closes its connections and begins anew."),

    // Records of back-ends
    /** Records that were taken. */
    INGEST_READ("tributary.ingest.read", Type.COUNTER, "Records of back-ends that were read, repetitions counted."),
    /** What became of them. */
    INGEST_RECORDS("tributary.ingest.records", Type.COUNTER, "What became of records of back-ends.", "outcome"),
    /** Records that are not safe. */
    INGEST_LAG(
            "tributary.ingest.lag",
            Type.GAUGE,
            "Records of back-ends in this node's partitions that are not safe for subscribers yet."),
    /** How old records are. */
    INGEST_DELAY(
            "tributary.ingest.delay",
            Type.TIMER,
            "How old records of back-ends are, by their timestamp, when they are safe for subscribers."),
    /** Partitions. */
    INGEST_PARTITIONS("tributary.ingest.partitions", Type.GAUGE, "Partitions of back-ends that this node reads."),
    /** Whether it works. */
    INGEST_HEALTHY(
            "tributary.ingest.healthy",
            Type.GAUGE,
            "1 while records of back-ends can be read and published, else 0; health says why."),

    // The canary
    /** How long its messages took. */
    CANARY_ROUND_TRIP(
            "tributary.canary.round.trip",
            Type.TIMER,
            "How long messages of this node's canary took from their PUBLISH until they were back at this node, by the session"
                    + " (transient, persistent) that they went through, and whether to itself or to another node and back (self,"
                    + " others).",
            "session",
            "to"),
    /** What did not come back. */
    CANARY_LOST(
            "tributary.canary.lost",
            Type.COUNTER,
            "Messages of this node's canary that were not back in time (tributary.canary.timeout).",
            "session",
            "to"),

    // The whole
    /** Readiness. */
    READY(
            "tributary.ready",
            Type.GAUGE,
            "1 from the end of the start, when every listener accepts, every shard is live and the first rounds of the canary"
                    + " came back, to the beginning of the stop or of a drain; else 0."),
    /** The phase of a drain. */
    DRAIN_PHASE(
            "tributary.drain.phase",
            Type.GAUGE,
            "How far the drain of this node is: 0 not drained, 1 not ready and still serving, 2 sending clients away, 3 handing"
                    + " shards over, 4 safe to stop."),
    /** Whether connections are rebalanced. */
    REBALANCING(
            "tributary.rebalance.running", Type.GAUGE, "1 while connections are rebalanced over the nodes; else 0."),
    /** The state of the store. */
    STORAGE_HEALTHY(
            "tributary.storage.healthy",
            Type.GAUGE,
            "1 while what clients publish can be stored, else 0; readiness says why.");

    /** What a meter does. */
    public enum Type {
        /** Only ever grows. */
        COUNTER,
        /** Goes up and down. */
        GAUGE,
        /** Counts events and how long they took, in buckets. */
        TIMER
    }

    private enum Unit {
        NONE,
        BYTES,
        SECONDS
    }

    private final String meterName;
    private final Type type;
    private final Unit unit;
    private final String description;

    @SuppressWarnings("ImmutableEnumChecker") // List.of makes it so
    private final List<String> tags;

    BrokerMeters(String meterName, Type type, String description, String... tags) {
        this(meterName, type, type == Type.TIMER ? Unit.SECONDS : Unit.NONE, description, tags);
    }

    BrokerMeters(String meterName, Type type, Unit unit, String description, String... tags) {
        this.meterName = meterName;
        this.type = type;
        this.unit = unit;
        this.description = description;
        this.tags = List.of(tags);
    }

    /** The name in Micrometer's way of writing; Prometheus has {@code _} for the dots, and the unit at the end. */
    public String meterName() {
        return meterName;
    }

    /** What it does. */
    public Type type() {
        return type;
    }

    /** The base unit; empty for a number of things. */
    public String unit() {
        return unit == Unit.NONE ? "" : unit.name().toLowerCase(Locale.ROOT);
    }

    /** What it counts or measures, in a sentence. */
    public String description() {
        return description;
    }

    /** The names of its tags, in the order in which their values are given. */
    public List<String> tags() {
        return tags;
    }
}
