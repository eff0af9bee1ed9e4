package io.tributary.broker.shard;

import io.tributary.broker.shard.fold.NoEffects;
import io.tributary.broker.shard.fold.SessionState;
import io.tributary.broker.shard.fold.ShardState;
import io.tributary.broker.subscription.Routes;
import io.tributary.broker.subscription.SharedChoice;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.broker.subscription.SubscriptionLimits;
import io.tributary.broker.subscription.SubscriptionRequest;
import io.tributary.broker.subscription.Subscriptions;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.SentUpTo;
import io.tributary.common.event.StateCodec;
import io.tributary.common.event.StoredSession;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.topic.TopicFilter;
import io.tributary.perf.jmh.Messages;
import io.tributary.persistence.shard.ShardStore.Claim;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * What persistent sessions that are away cost a node, in heap after a full collection: the figures of
 * docs/decisions/0019-a-million-sessions.md; and what their subscriptions count as. Each has one subscription. Their
 * subscriptions are known on every node; the rest is in the fold and the timers of the owner of their shard, which has
 * loaded them from its store.
 *
 * <pre>
 * SessionMemoryFigures SESSIONS [KIND [SUBSCRIPTIONS]]
 *
 * KIND           topic: a topic each; plus: a filter each that ends in a wildcard, device/7/+; deep: one of 128
 *                levels; shared: a shared subscription each
 * SUBSCRIPTIONS  of each session, each made by a SUBSCRIBE of its own; one by default
 * </pre>
 *
 * <p>Prints the classes with most of it, too.
 */
final class SessionMemoryFigures {
    private static final int SHARDS = 128;
    private static final int MOST_CLASSES = 14;
    private static final long HOUR_SECONDS = 3600;

    private final int sessions;
    private final Kind kind;
    private final int filters;
    private final PrintStream out;

    private enum Kind {
        TOPIC("%s"),
        PLUS("%s/+"),
        DEEP("%s" + "/a".repeat(122) + "/+"),
        SHARED("$share/group/%s");

        private final String filter;

        Kind(String filter) {
            this.filter = filter;
        }
    }

    private SessionMemoryFigures(int sessions, Kind kind, int filters, PrintStream out) {
        this.sessions = sessions;
        this.kind = kind;
        this.filters = filters;
        this.out = out;
    }

    /** Prints them. */
    public static void main(String[] arguments) {
        Kind kind = arguments.length > 1 ? Kind.valueOf(arguments[1].toUpperCase(Locale.ROOT)) : Kind.TOPIC;
        int filters = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 1;
        new SessionMemoryFigures(Integer.parseInt(arguments[0]), kind, filters, System.out).run();
    }

    private void run() {
        long empty = usedHeap();
        Subscriptions subscriptions = subscriptions();
        long known = usedHeap();
        out.printf(
                Locale.ROOT,
                "on every node: %.0f B a session, of which subscriptions count as %.0f B%n%s%n",
                each(known - empty),
                each(subscriptions.sizeBytes()),
                classes());
        List<Object> owned = owned();
        long all = usedHeap();
        out.printf(Locale.ROOT, "on its owner besides: %.0f B%n%s%n", each(all - known), classes());
        out.println(subscriptions.count() + ", " + owned.size() / 2 + " shards");
    }

    private double each(long bytes) {
        return (double) bytes / sessions;
    }

    private Subscriptions subscriptions() {
        Subscriptions subscriptions = new Subscriptions(
                new EchoMap(),
                Routes.NONE,
                SubscriptionLimits.builder().maxSize(Long.MAX_VALUE).build(),
                SharedChoice.DEFAULT,
                _ -> 0,
                SHARDS,
                SessionMemoryFigures::shardOf);
        subscriptions.start();
        for (int i = 0; i < sessions; i++) {
            Subscriber subscriber =
                    new Subscriber(Messages.client(i), true, i, null, ClientKind.DEVICE, Principal.ANONYMOUS);
            for (int j = 0; j < filters; j++) {
                TopicFilter filter = TopicFilter.parse(filter(i, j));
                subscriptions.subscribe(
                        subscriber, i, List.of(new SubscriptionRequest(filter, QoS.AT_LEAST_ONCE, false, false, 0)));
            }
        }
        return subscriptions;
    }

    private String filter(int session, int number) {
        String own = "europe/ua/kyiv/" + (100_000 + session) + (number == 0 ? "" : "/" + number);
        return kind.filter.formatted(own);
    }

    /** The state and the timers of all shards, all of whose sessions have expired by the end of an hour. */
    private List<Object> owned() {
        ShardState[] states = new ShardState[SHARDS];
        ShardTimers[] timers = new ShardTimers[SHARDS];
        List<Object> owned = new ArrayList<>();
        for (int i = 0; i < SHARDS; i++) {
            states[i] = new ShardState(new NoEffects(), new Claim(-1, -1, List.of()));
            timers[i] = new ShardTimers();
            owned.add(states[i]);
            owned.add(timers[i]);
        }
        for (int i = 0; i < sessions; i++) {
            StoredSession stored = StateCodec.decodeSession(StateCodec.encodeSession(stored(i), RecordFormat.NEWEST));
            int shard = shardOf(stored.clientId());
            states[shard].load(List.of(stored), List.of());
            SessionState session = states[shard].client(stored.clientId());
            if (session != null) {
                timers[shard].set(session, 0);
            }
        }
        return owned;
    }

    /** One that has had a thousand messages, and an empty queue now. */
    private static StoredSession stored(int number) {
        return new StoredSession(
                Messages.client(number),
                number,
                number,
                null,
                number,
                HOUR_SECONDS,
                100,
                1_000_000L + number,
                Long.MAX_VALUE,
                1000,
                SentUpTo.all(1000),
                0,
                0,
                0,
                0,
                0,
                null,
                new int[0],
                0,
                Principal.ANONYMOUS);
    }

    private static int shardOf(String clientId) {
        return Math.floorMod(clientId.hashCode() * 0x9E3779B9, SHARDS);
    }

    private static long usedHeap() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private static String classes() {
        try {
            Object histogram = ManagementFactory.getPlatformMBeanServer()
                    .invoke(
                            new ObjectName("com.sun.management:type=DiagnosticCommand"),
                            "gcClassHistogram",
                            new Object[] {new String[0]},
                            new String[] {String[].class.getName()});
            return String.join(
                    "\n", histogram.toString().lines().limit(MOST_CLASSES).toList());
        } catch (JMException e) {
            throw new IllegalStateException("this JVM has no histogram of classes", e);
        }
    }
}
