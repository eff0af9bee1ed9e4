package io.tributary.broker;

import io.tributary.broker.delivery.Endpoint;
import io.tributary.broker.relocation.Journal;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.broker.subscription.SubscriptionRequest;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.StoredSession;
import io.tributary.common.event.TenantNames;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Persistent sessions, for those who look after a broker. Every node knows the sessions of the cluster that have or had
 * subscriptions; one that never had any is known to the owner of its shard alone, which finds and ends it, and is in no
 * {@link #list}. Sessions of shared subscriptions and of the broker itself are nobody's to see.
 *
 * <p>Any thread. Stages complete on threads of the broker, which must not be blocked, within 20 s. They fail with an
 * {@link IllegalStateException}, in words, while the broker does not serve clients or does not know what the other
 * nodes know.
 */
public final class Sessions {
    private static final Logger LOG = LoggerFactory.getLogger(Sessions.class);
    private static final int OWNERS_PATIENCE_SECONDS = 2;

    /** How many sessions are on a page at most. */
    public static final int MOST_ON_A_PAGE = 1_000;

    private final Supplier<@Nullable BrokerNode> node;
    private final Journal journal;
    /** Held while all sessions are looked at: those who ask for pages have one processor at most. */
    private final Object pages = new Object();

    Sessions(Supplier<@Nullable BrokerNode> node, Journal journal) {
        this.node = node;
        this.journal = journal;
    }

    /**
     * Sessions in the order of their clients' identifiers.
     *
     * @param next what comes after these is asked for with this; null when there is nothing
     */
    public record Page(
            List<PersistentSession> sessions, @Nullable String next) {
        /** Copies the list. */
        public Page {
            sessions = List.copyOf(sessions);
        }
    }

    /**
     * The first sessions after a client identifier, by code point. The caller's thread looks at all sessions for that,
     * which takes up to a second for a million, and waits for others that do: one at a time.
     *
     * @param tenant whose clients'; null for clients of no tenant
     * @param kind where their messages wait; null for any
     * @param after a client identifier; empty to begin
     * @param limit how many at most, 1 to {@value #MOST_ON_A_PAGE}; a page may have fewer, for sessions end meanwhile
     * @throws IllegalArgumentException when there can be no such tenant, or the limit is another
     */
    public CompletionStage<Page> list(@Nullable String tenant, @Nullable ClientKind kind, String after, int limit) {
        check(tenant);
        if (limit < 1 || limit > MOST_ON_A_PAGE) {
            throw new IllegalArgumentException("the limit must be 1 to " + MOST_ON_A_PAGE);
        }
        return serving().thenCompose(at -> {
            List<Subscriber> found;
            synchronized (pages) {
                found = at.subscriptions.page(tenant, kind, after, limit + 1);
            }
            boolean isMore = found.size() > limit;
            List<Subscriber> page = isMore ? found.subList(0, limit) : found;
            String next = isMore ? TenantNames.visible(page.getLast().clientId()) : null;
            List<CompletableFuture<Optional<PersistentSession>>> seen = page.stream()
                    .map(session -> look(at, session.clientId(), session).toCompletableFuture())
                    .toList();
            return CompletableFuture.allOf(seen.toArray(CompletableFuture<?>[]::new))
                    .thenApply(_ -> new Page(
                            seen.stream().flatMap(each -> each.join().stream()).toList(), next));
        });
    }

    /**
     * A client's session, empty where there is none.
     *
     * @param tenant whose client it is; null for none
     * @throws IllegalArgumentException when there can be no such tenant
     */
    public CompletionStage<Optional<PersistentSession>> find(@Nullable String tenant, String clientId) {
        check(tenant);
        return serving().thenCompose(at -> find(at, tenant, clientId));
    }

    /**
     * The subscriptions of a client's session that match now, with filters as the client knows them, in their order.
     *
     * @throws IllegalArgumentException when there can be no such tenant
     */
    public CompletionStage<List<SubscriptionRequest>> subscriptions(@Nullable String tenant, String clientId) {
        check(tenant);
        return serving().thenApply(at -> {
            Subscriber session =
                    isClients(clientId) ? at.subscriptions.session(TenantNames.clientId(tenant, clientId)) : null;
            List<SubscriptionRequest> all = session == null ? List.of() : at.subscriptions.of(session);
            return all.stream()
                    .map(Sessions::visible)
                    .sorted(Comparator.comparing(each -> each.filter().toString()))
                    .toList();
        });
    }

    /**
     * Ends a client's session: its messages and its subscriptions are gone, an application's topic follows a minute
     * later, and its Will is published as at any end of a session. A client that is connected is disconnected with 0x8E
     * (session taken over), and has a new session when it connects again. About 100 can be ended at once.
     *
     * <p>Besides what all of these fail with: with a {@link RejectedExecutionException} when
     * nothing was done, since too many are being ended or the session's shard has no owner at the moment; with a {@link
     * java.util.concurrent.TimeoutException} when the owner has not answered within 10 s: then it may be done, or still
     * be done later.
     *
     * @param tenant whose client it is; null for none
     * @param by who wants it, for the audit log
     * @param from where that one is
     * @return completes with true when the owner of its shard has ended it, with false when there is none
     * @throws IllegalArgumentException when there can be no such tenant
     */
    public CompletionStage<Boolean> end(@Nullable String tenant, String clientId, String by, String from) {
        check(tenant);
        return serving()
                .thenCompose(at -> find(at, tenant, clientId).thenCompose(found -> {
                    if (found.isEmpty()) {
                        return CompletableFuture.completedStage(false);
                    }
                    String inside = TenantNames.clientId(tenant, clientId);
                    String problem = at.endings.problem(inside);
                    if (problem != null) {
                        return CompletableFuture.failedStage(new RejectedExecutionException(problem));
                    }
                    LOG.info("the session of {} is ended by {} from {}", TenantNames.display(inside), by, from);
                    Map<String, String> details = new LinkedHashMap<>();
                    details.put("clientId", clientId);
                    if (tenant != null) {
                        details.put("tenant", tenant);
                    }
                    return journal.note(by, from, "session-end", details)
                            .thenCompose(_ -> at.endings.end(inside))
                            .thenApply(_ -> true);
                }));
    }

    private static void check(@Nullable String tenant) {
        if (tenant != null) {
            TenantNames.check(tenant);
        }
    }

    /** Whether clients have such identifiers: what begins with a NUL is a group's, or would come with its tenant. */
    private static boolean isClients(String clientId) {
        return !clientId.isEmpty() && !TenantNames.isTenants(clientId);
    }

    private CompletionStage<BrokerNode> serving() {
        BrokerNode at = node.get();
        if (at == null || at.isClosed()) {
            return CompletableFuture.failedStage(
                    new IllegalStateException("this node does not serve clients at the moment"));
        }
        return at.isCurrent()
                ? CompletableFuture.completedStage(at)
                : CompletableFuture.failedStage(
                        new IllegalStateException("this node does not know what the others know at the moment"));
    }

    private static CompletionStage<Optional<PersistentSession>> find(
            BrokerNode at, @Nullable String tenant, String clientId) {
        if (!isClients(clientId)) {
            return CompletableFuture.completedStage(Optional.empty());
        }
        String inside = TenantNames.clientId(tenant, clientId);
        return look(at, inside, at.subscriptions.session(inside));
    }

    /** @param known the session, where it has or had subscriptions */
    private static CompletionStage<Optional<PersistentSession>> look(
            BrokerNode at, String inside, @Nullable Subscriber known) {
        Optional<PersistentSession> unowned = Optional.ofNullable(known).map(session -> ofSubscriptions(at, session));
        if (!at.shards.owns(inside)) {
            return CompletableFuture.completedStage(unowned);
        }
        return at.shards
                .look(inside)
                .toCompletableFuture()
                .orTimeout(OWNERS_PATIENCE_SECONDS, TimeUnit.SECONDS)
                .handle((stored, late) -> {
                    if (late != null && known == null) {
                        throw new IllegalStateException("the client's shard does not answer at the moment");
                    }
                    return late != null || (stored.isEmpty() && !at.shards.owns(inside))
                            ? unowned
                            : stored.filter(session -> session.sessionExpirySeconds() > 0)
                                    .map(session -> ofOwner(at, session, known));
                });
    }

    private static PersistentSession ofSubscriptions(BrokerNode at, Subscriber session) {
        Endpoint here = at.connections.persistent(session.clientId());
        boolean isHere = here != null && here.has(session.identity());
        return new PersistentSession(
                TenantNames.visible(session.clientId()),
                TenantNames.tenantOf(session.clientId()),
                session.kind(),
                session.principal(),
                at.subscriptions.countOf(session),
                isHere ? true : null,
                null);
    }

    private static PersistentSession ofOwner(BrokerNode at, StoredSession stored, @Nullable Subscriber known) {
        int subscriptions = known != null && known.identity() == stored.session() ? at.subscriptions.countOf(known) : 0;
        String connectedTo = stored.node();
        PersistentSession.Owned owned = new PersistentSession.Owned(
                connectedTo == null ? null : withoutIncarnation(connectedTo),
                connectedTo == null ? Instant.ofEpochMilli(stored.detachedAtMillis()) : null,
                stored.sessionExpirySeconds(),
                stored.queuedMessages(),
                stored.queuedBytes());
        return new PersistentSession(
                TenantNames.visible(stored.clientId()),
                TenantNames.tenantOf(stored.clientId()),
                stored.topic() == null ? ClientKind.DEVICE : stored.topic().kind(),
                stored.principal(),
                subscriptions,
                connectedTo != null,
                owned);
    }

    private static String withoutIncarnation(String nodeAndIncarnation) {
        int end = nodeAndIncarnation.lastIndexOf('#');
        return end < 0 ? nodeAndIncarnation : nodeAndIncarnation.substring(0, end);
    }

    private static SubscriptionRequest visible(SubscriptionRequest inside) {
        return new SubscriptionRequest(
                TenantNames.visible(inside.filter()),
                inside.qos(),
                inside.noLocal(),
                inside.retainAsPublished(),
                inside.subscriptionId());
    }
}
