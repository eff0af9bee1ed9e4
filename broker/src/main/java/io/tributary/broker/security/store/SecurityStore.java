package io.tributary.broker.security.store;

import io.tributary.broker.security.BanList;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.Revocations;
import io.tributary.broker.security.rules.Rule;
import io.tributary.broker.security.store.ChangeResult.NotNow;
import io.tributary.broker.security.store.ChangeResult.Unknown;
import io.tributary.common.event.Principal;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.UnreadableRecordException;
import io.tributary.common.time.SteadyClock;
import io.tributary.persistence.audit.AuditLog;
import io.tributary.persistence.replicated.ReplicatedMap;
import java.net.InetAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Users, device tokens, rule sets, bans and tenants, as a broker knows them at the moment, and the way to change them.
 * What a node knows is a copy of replicated maps; changes are made by the node that owns shard 0, to which others pass
 * theirs. There is one for each broker, made before the broker; until that has started, and while it begins anew, there
 * is nothing in it and nothing can be changed. Any thread; never blocks.
 */
public final class SecurityStore {
    /** How long a change may take, in all. */
    public static final Duration LONGEST_CHANGE = Duration.ofSeconds(10);

    /** How long an owner of shard 0 is waited for, who is about to change as a rule. */
    private static final Duration PATIENCE = Duration.ofSeconds(8);

    private static final CompletionStage<ChangeResult> TOO_EARLY = CompletableFuture.completedStage(
            new NotNow("a node of an older version is live, which cannot read it; upgrade that node first"));

    private static final Duration RETRY = Duration.ofMillis(100);
    private static final int TICKS_A_PURGE = 60;
    private static final int LOOKED_AT = 100;

    private final SecurityRecorder recorder;
    private final Duration patience;
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private final BanList bans = new Bans();
    private volatile InstantSource time = new SteadyClock();
    private volatile @Nullable Open opened;

    /** The same, once this node serves clients. */
    private volatile @Nullable Open open;

    private int ticks; // on the thread of tick

    /** Told of changes, in the order of each table, once for each entry that there is; must not block. */
    @FunctionalInterface
    public interface Listener {
        /**
         * An object was put or removed.
         *
         * @param before what was there
         * @param now what is there
         */
        void changed(SecurityTable table, @Nullable SecurityObject before, @Nullable SecurityObject now);

        /** The store has been read; before the node decides anything. */
        default void read() {}

        /** About once a second while the store is open. */
        default void settle() {}
    }

    /**
     * The node that a store is opened for.
     *
     * @param ownEpoch the epoch of this node's ownership of shard 0, -1 while another node owns that
     * @param owner the way to that node
     * @param clock the time of the cluster
     * @param format says in which format records are written
     * @param current whether this node knows what the others know
     * @param audit has an entry of each change before that is made
     */
    public record Node(
            LongSupplier ownEpoch,
            OwnerLink owner,
            InstantSource clock,
            RecordFormat format,
            BooleanSupplier current,
            AuditLog audit) {}

    /**
     * An object, and when it was written.
     *
     * @param changedMillis the time, in milliseconds since the epoch
     */
    public record Entry(Stamp stamp, long changedMillis, SecurityObject object) {}

    /**
     * Some objects of a table.
     *
     * @param next the id behind which the next page begins, null when there is none
     */
    public record Page(List<Entry> entries, @Nullable String next) {}

    private record Open(Map<SecurityTable, TableCopy> copies, SecurityWriter writer, BanIndex bans, Node node) {
        TableCopy copy(SecurityTable table) {
            TableCopy copy = copies.get(table);
            if (copy == null) {
                throw new IllegalStateException("there is no " + table);
            }
            return copy;
        }
    }

    /** Creates one that is not open. */
    public SecurityStore(SecurityRecorder recorder) {
        this(recorder, PATIENCE);
    }

    /** The same, with another patience: for tests. */
    SecurityStore(SecurityRecorder recorder, Duration patience) {
        this.recorder = recorder;
        this.patience = patience;
    }

    /**
     * The time of the node, which in a cluster is that of all nodes, for whoever is made before the node, and outlives
     * it; until the first opening that of the wall clock.
     */
    public InstantSource clock() {
        return () -> time.instant();
    }

    /** Adds one that is told of all changes from the next opening on. */
    public void listen(Listener listener) {
        listeners.add(listener);
    }

    /**
     * Reads the maps, and follows them from then on. Completes when they are read; {@link #begin} follows.
     *
     * @param maps by the names of tables
     * @param own told of changes until the next opening, besides those of {@link #listen}
     */
    public CompletionStage<@Nullable Void> open(Map<String, ReplicatedMap> maps, Node node, Listener own) {
        time = node.clock();
        BanIndex index = new BanIndex(node.clock(), recorder);
        Map<SecurityTable, TableCopy> copies = new EnumMap<>(SecurityTable.class);
        for (SecurityTable table : SecurityTable.values()) {
            ReplicatedMap map = maps.get(table.mapName());
            if (map == null) {
                throw new IllegalArgumentException("there is no map " + table.mapName());
            }
            copies.put(table, new TableCopy(table, map, node.format(), (of, id, before, now) -> {
                index.changed(before, now);
                own.changed(of, before, now);
                listeners.forEach(listener -> listener.changed(of, before, now));
            }));
        }
        SecurityWriter writer = new SecurityWriter(copies, node.ownEpoch(), node.clock(), node.audit());
        Open opening = new Open(copies, writer, index, node);
        node.owner().answerWith(question -> answer(opening, question));
        opened = opening;
        return CompletableFuture.allOf(copies.values().stream()
                        .map(copy -> copy.follow().toCompletableFuture())
                        .toArray(CompletableFuture<?>[]::new))
                .thenApply(_ -> {
                    listeners.forEach(Listener::read);
                    return null;
                });
    }

    /** This node serves clients from now on: what other nodes acknowledged before is read. */
    public void begin() {
        open = opened;
    }

    /** There is nothing in it any more, until it is opened again. */
    public void close() {
        open = null;
        opened = null;
    }

    /** Does what is to be done now and then; once a second. */
    public void tick() {
        Open now = opened;
        if (now != null) {
            now.writer().tick();
            ticks++;
            if (ticks % TICKS_A_PURGE == 0) {
                now.writer().purge();
                now.writer().removeVoid();
            }
            listeners.forEach(Listener::settle);
        }
    }

    /** Whether it is open, and has all that other nodes have acknowledged. */
    public boolean isCurrent() {
        Open now = open;
        return now != null && now.node().current().getAsBoolean();
    }

    /** Whether it is open. */
    public boolean isOpen() {
        return open != null;
    }

    /** What cannot be read, a sentence each. */
    public List<String> problems() {
        Open now = open;
        return now == null
                ? List.of()
                : now.copies().values().stream()
                        .flatMap(copy -> copy.problems().stream())
                        .toList();
    }

    /**
     * The rule sets, also before the node serves clients.
     *
     * @return null when the store is not open
     * @throws UnreadableRecordException when there is one of which nothing is known, because its record cannot be read
     */
    @Nullable
    List<StoredRuleSet> ruleSets() {
        Open now = opened;
        if (now == null) {
            return null;
        }
        TableCopy rules = now.copy(SecurityTable.RULES);
        List<StoredRuleSet> all = rules.after("")
                .filter(each -> each.getValue().body() != null)
                .map(each -> (StoredRuleSet)
                        entry(SecurityTable.RULES, each.getValue()).object())
                .toList();
        if (rules.lacksSome()) {
            throw new UnreadableRecordException("a rule set cannot be read");
        }
        return all;
    }

    /** Whether the newest record of each rule set can be read, and of each user, who may have rules of its own. */
    boolean readsAllRules() {
        Open now = opened;
        return now != null
                && now.copy(SecurityTable.RULES).problems().isEmpty()
                && now.copy(SecurityTable.USERS).problems().isEmpty();
    }

    /** The object with the id; null when there is none. */
    public @Nullable Entry find(SecurityTable table, String id) {
        Open now = open;
        StoredEntry entry = now == null ? null : now.copy(table).get(id);
        return entry == null ? null : entry(table, entry);
    }

    /** The user; null when there is none. */
    public @Nullable StoredUser user(String realm, String name) {
        Entry found = find(SecurityTable.USERS, StoredUser.idOf(realm, name));
        return found != null && found.object() instanceof StoredUser user ? user : null;
    }

    /** The rules of its own that a user has, also before the node serves clients; null when there is no such user. */
    @Nullable
    List<Rule> rulesOf(Principal principal) {
        Open now = opened;
        StoredEntry entry = now == null
                ? null
                : now.copy(SecurityTable.USERS).get(StoredUser.idOf(principal.realm(), principal.name()));
        return entry != null && entry(SecurityTable.USERS, entry).object() instanceof StoredUser user
                ? user.ownRules()
                : null;
    }

    /** The token of a secret with this SHA-256; null when there is none. */
    public @Nullable DeviceToken token(byte[] sha256) {
        Entry found = find(SecurityTable.TOKENS, DeviceToken.idOf(sha256));
        return found != null && found.object() instanceof DeviceToken token ? token : null;
    }

    /** How many objects there are. */
    public long size(SecurityTable table) {
        Open now = open;
        return now == null ? 0 : now.copy(table).size();
    }

    /**
     * The first object behind an id; null when there is none among the next few entries, of which those of removed
     * objects are some. For an event loop: it takes no longer where many objects were removed.
     */
    public @Nullable Entry next(SecurityTable table, String after) {
        Open now = open;
        return now == null
                ? null
                : now.copy(table)
                        .after(after)
                        .limit(LOOKED_AT)
                        .filter(each -> each.getValue().body() != null)
                        .findFirst()
                        .map(each -> entry(table, each.getValue()))
                        .orElse(null);
    }

    /**
     * Objects in the order of their ids, a page at a time.
     *
     * @param after the id behind which the page begins, empty for the first
     * @param most how many it may have
     */
    public Page page(SecurityTable table, String after, int most) {
        Open now = open;
        List<Entry> entries = new ArrayList<>();
        if (now != null) {
            now.copy(table)
                    .after(after)
                    .filter(each -> each.getValue().body() != null)
                    .limit(most + 1L)
                    .forEach(each -> entries.add(entry(table, each.getValue())));
            if (entries.size() > most) {
                entries.removeLast();
                return new Page(entries, entries.getLast().object().id());
            }
        }
        return new Page(entries, null);
    }

    /**
     * Entries of the audit log, as {@link AuditLog#read} has them; each is a JSON object. Fails when the store is not
     * open.
     */
    public CompletionStage<List<AuditLog.Entry>> audit(long before, int most) {
        Open now = open;
        return now == null
                ? CompletableFuture.failedStage(new IllegalStateException("the store is not open"))
                : now.node().audit().read(before, most);
    }

    /**
     * Notes in the audit log what a node took from clients: one entry for what rules took, and one for connections that
     * users and bans ended. Nobody waits for it.
     *
     * @param node the name of the node
     */
    public CompletionStage<?> note(String node, Revocations.Taken taken) {
        Open now = opened;
        List<byte[]> entries = new ArrayList<>();
        if (taken.isOfRules()) {
            Map<String, String> details = new LinkedHashMap<>();
            details.put("table", SecurityTable.RULES.mapName());
            details.put("removed", Long.toString(taken.removed()));
            details.put("lowered", Long.toString(taken.lowered()));
            details.put("disconnected", Long.toString(taken.disconnected()));
            details.put("subscriptions", String.join("; ", taken.subscriptions()));
            entries.add(AuditEntry.ofTaken(node, "withdraw", details));
        }
        if (taken.expelled() > 0) {
            Map<String, String> details = new LinkedHashMap<>();
            details.put("disconnected", Long.toString(taken.expelled()));
            details.put("clients", String.join(", ", taken.clients()));
            entries.add(AuditEntry.ofTaken(node, "disconnect", details));
        }
        return now == null
                ? CompletableFuture.failedStage(new IllegalStateException("the store is not open"))
                : CompletableFuture.allOf(entries.stream()
                        .map(entry -> now.node().audit().append(entry).toCompletableFuture())
                        .toArray(CompletableFuture<?>[]::new));
    }

    /**
     * Notes in the audit log what an administrator did that changes no object. Nobody waits for it.
     *
     * @param by who did it
     * @param from where that one was
     * @param details what there is to say besides the action, by names of fields
     */
    public CompletionStage<?> note(String by, String from, String action, Map<String, String> details) {
        Open now = opened;
        return now == null
                ? CompletableFuture.failedStage(new IllegalStateException("the store is not open"))
                : now.node().audit().append(AuditEntry.ofAction(by, from, action, details));
    }

    /** Who may not connect. */
    public BanList bans() {
        return bans;
    }

    /** Whether a ban says that the connection of a client is to be closed. */
    public boolean mustDisconnect(ClientInfo client) {
        Open now = open;
        return now != null && now.bans().mustDisconnect(client);
    }

    /**
     * Makes a change; the stage completes when that is durable and every live node has it, or with what was in the way,
     * within {@link #LONGEST_CHANGE}. It does not fail.
     */
    public CompletionStage<ChangeResult> change(Change change) {
        CompletableFuture<ChangeResult> result = new CompletableFuture<>();
        Open now = open;
        if (now == null) {
            result.complete(new NotNow("the broker does not serve clients at the moment"));
        } else {
            route(now, change, System.nanoTime() + patience.toNanos(), result);
        }
        return result.completeOnTimeout(
                        new Unknown("there was no answer within " + LONGEST_CHANGE.toSeconds() + " s"),
                        LONGEST_CHANGE.toMillis(),
                        TimeUnit.MILLISECONDS)
                .whenComplete((made, _) -> recorder.changed(made));
    }

    /** To the owner; while nothing was changed because there is none, again. */
    private void route(Open at, Change change, long untilNanos, CompletableFuture<ChangeResult> result) {
        CompletionStage<ChangeResult> attempt = attempt(at, change);
        attempt.whenComplete((made, failure) -> {
            if (failure != null) {
                result.complete(new Unknown("the node that writes did not answer: " + failure.getMessage()));
            } else if (made instanceof NotNow && System.nanoTime() - untilNanos < 0 && !result.isDone()) {
                CompletableFuture.delayedExecutor(RETRY.toMillis(), TimeUnit.MILLISECONDS)
                        .execute(() -> route(at, change, untilNanos, result));
            } else {
                result.complete(made);
            }
        });
    }

    private CompletionStage<ChangeResult> attempt(Open at, Change change) {
        if (at.writer().isOwner()) {
            return written(at, change);
        }
        if (isTooEarly(at)) {
            return TOO_EARLY;
        }
        CompletionStage<byte[]> answer = at.node().owner().ask(change.encode());
        return answer == null
                ? CompletableFuture.completedStage(new NotNow("no node that can be reached owns shard 0"))
                : answer.thenApply(ChangeResult::decode);
    }

    private static CompletionStage<ChangeResult> written(Open at, Change change) {
        return isTooEarly(at) ? TOO_EARLY : at.writer().change(change);
    }

    /** Whether some live node would not understand. */
    private static boolean isTooEarly(Open at) {
        return at.node().format().toWrite() < SecurityCodec.FIRST_FORMAT;
    }

    private static CompletionStage<byte[]> answer(Open at, byte[] question) {
        CompletionStage<ChangeResult> made;
        try {
            made = at.writer().isOwner()
                    ? written(at, Change.decode(question))
                    : CompletableFuture.completedStage(new NotNow("another node owns shard 0"));
        } catch (UnreadableRecordException e) {
            made = CompletableFuture.completedStage(
                    new ChangeResult.Refused("the node that writes cannot read it: " + e.getMessage()));
        }
        return made.thenApply(ChangeResult::encode);
    }

    private static Entry entry(SecurityTable table, StoredEntry stored) {
        byte[] body = stored.body();
        if (body == null) {
            throw new IllegalArgumentException("nothing is there");
        }
        return new Entry(stored.stamp(), stored.changedMillis(), SecurityCodec.decode(table, body));
    }

    /** Those of the node that is open. */
    private final class Bans implements BanList {
        @Override
        public boolean isBanned(InetAddress address) {
            Open now = open;
            return now != null && now.bans().isBanned(address);
        }

        @Override
        public boolean isBanned(String clientId, @Nullable String userName) {
            Open now = open;
            return now != null && now.bans().isBanned(clientId, userName);
        }

        @Override
        public boolean isBanned(Principal principal) {
            Open now = open;
            return now != null && now.bans().isBanned(principal);
        }
    }
}
