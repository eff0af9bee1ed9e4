package io.tributary.broker.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.fake.SharedReplicatedMap;
import io.tributary.broker.security.rules.Audience;
import io.tributary.broker.security.rules.Rule;
import io.tributary.broker.security.rules.RuleSet;
import io.tributary.broker.security.rules.Rules;
import io.tributary.broker.security.rules.TopicPattern;
import io.tributary.broker.subscription.Withdrawal.Change;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
import io.tributary.common.event.PrincipalFormat;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.topic.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a node writes that was paused, and what another one had written meanwhile. */
class LateSubscriptionsTest {
    private static final Subscriber OLD = new Subscriber("c", true, 100);
    private static final Subscriber NEW = new Subscriber("c", true, 200);

    private final SharedReplicatedMap stored = new SharedReplicatedMap();
    private final SharedReplicatedMap routes = new SharedReplicatedMap();
    private final TestNode a = new TestNode("a#1", stored, routes);
    private final TestNode b = new TestNode("b#1", stored, routes);

    @Test
    void ignoresTheLateEndOfAnOldSessionAndWritesTheNewerOneAgain() {
        a.subscribe(OLD, "old");
        a.stored.stopWriting();
        a.subscriptions.end(OLD);
        a.stored.leave();
        b.subscribe(NEW, "new");
        a.stored.goOnWriting();

        assertThat(a.receivers("new")).containsExactly(NEW);
        assertThat(b.receivers("new")).containsExactly(NEW);
        assertThat(storedSession()).isEqualTo(SessionSubscriptions.OVER);

        b.subscriptions.repair(_ -> true);

        assertThat(restarted().receivers("new")).containsExactly(NEW);
        assertThat(storedSession()).isZero();
    }

    @Test
    void writesAgainWhatSomethingUnreadableHasReplaced() {
        b.subscribe(NEW, "new");
        a.stored.put("c", new byte[] {0, 1});

        assertThat(a.receivers("new")).containsExactly(NEW);
        assertThat(a.format.isTooOld()).isFalse();

        b.subscriptions.repair("c"::equals);

        assertThat(restarted().receivers("new")).containsExactly(NEW);
    }

    @Test
    void saysThatItIsTooOldWhenARecordIsOfANewerFormatUntilThatIsReplaced() {
        a.stored.put("c", new byte[] {RecordFormat.NEWEST + 1});
        assertThat(b.format.isTooOld()).isTrue();
        assertThat(b.format.unreadRecord()).isEqualTo("subscriptions of c");
        a.subscribe(NEW, "new");
        assertThat(b.format.isTooOld()).isFalse();
        assertThat(b.receivers("new")).containsExactly(NEW);
    }

    /** The owner takes the session for away which has a connection at another node, and a subscription more. */
    @Test
    void newerConnectionDecidesWhenTheOwnerWithdrawsLate() {
        Subscriber known = new Subscriber("c", true, 200, null, ClientKind.DEVICE, new Principal("r", "c"));
        Rules rules = new Rules(List.of());
        TestNode owner = new TestNode("o#1", stored, routes, SharedChoice.DEFAULT, rules);
        TestNode other = new TestNode("p#1", stored, routes, SharedChoice.DEFAULT, rules);
        owner.format.raise(PrincipalFormat.FIRST);
        other.format.raise(PrincipalFormat.FIRST);
        owner.subscribe(known, 200, "a");
        rules.replace(List.of(allowing("b")));
        for (TestNode node : List.of(owner, other)) {
            node.subscriptions.looks().forEachRemaining(Runnable::run);
            assertThat(node.subscriptions.uncovered()).toIterable().containsExactly(known);
        }
        owner.stored.stopWriting();
        CompletionStage<List<Withdrawal>> late = owner.subscriptions.withdrawAway(known);
        other.subscribe(known, 300, "b");
        owner.stored.goOnWriting();

        assertThat(late).isCompletedWithValue(List.of(new Withdrawal(Change.REMOVED, TopicFilter.parse("a"))));
        assertThat(owner.filters(known)).containsExactlyInAnyOrder("a", "b");
        assertThat(other.subscriptions.uncovered()).toIterable().containsExactly(known);

        assertThat(other.subscriptions.withdraw(known, 300, rules.bind(known.client())))
                .isCompletedWithValue(List.of(new Withdrawal(Change.REMOVED, TopicFilter.parse("a"))));
        for (TestNode node : List.of(owner, other)) {
            assertThat(node.filters(known)).containsExactly("b");
            assertThat(node.subscriptions.uncovered().hasNext()).isFalse();
        }
    }

    private static RuleSet allowing(String topic) {
        return new RuleSet(
                "test",
                Audience.EVERYBODY,
                List.of(new Rule(Rule.Effect.ALLOW, Rule.Action.ALL, TopicPattern.parse(topic))));
    }

    @Test
    void writesInTheFormatThatAllRead() {
        a.subscribe(NEW, "new");
        assertThat(stored.stored().get("c")).startsWith(1);
        a.format.raise(2);
        a.subscribe(NEW, "newer");
        assertThat(stored.stored().get("c")).startsWith(2);
    }

    @Test
    void ignoresALateRemovalAndWritesTheNewerOneAgain() {
        b.subscribe(NEW, "new");
        a.stored.remove("c");

        assertThat(a.receivers("new")).containsExactly(NEW);
        assertThat(stored.stored()).isEmpty();

        b.subscriptions.repair("c"::equals);

        assertThat(restarted().receivers("new")).containsExactly(NEW);
        assertThat(stored.stored()).hasSize(1);
    }

    @Test
    void writesNothingAgainWhenAnotherNodeOwnsTheClient() {
        b.subscribe(NEW, "new");
        a.stored.remove("c");
        int before = stored.changes();

        b.subscriptions.repair(_ -> false);
        assertThat(stored.changes()).isEqualTo(before);

        a.subscriptions.repair(_ -> true);
        b.subscriptions.repair(_ -> true);
        assertThat(stored.changes()).isEqualTo(before + 1);
    }

    @Test
    void writesNothingAgainWhenItsOwnWriteIsOnItsWay() {
        b.subscribe(NEW, "new");
        a.stored.remove("c");
        b.stored.stopWriting();
        CompletionStage<?> more = b.subscribe(NEW, "more");
        b.subscriptions.repair(_ -> true);
        b.stored.goOnWriting();

        assertThat(more).isCompleted();
        assertThat(stored.changes()).isEqualTo(3);
        b.subscriptions.repair(_ -> true);
        assertThat(stored.changes()).isEqualTo(3);
        assertThat(b.receivers("more")).containsExactly(NEW);
        assertThat(restarted().receivers("new")).containsExactly(NEW);
    }

    @Test
    void writesItAgainLaterWhenThatIsRefused() {
        b.subscribe(NEW, "new");
        a.stored.remove("c");
        b.stored.refuse(new IllegalStateException("too much waits"));
        b.subscriptions.repair(_ -> true);
        b.stored.refuse(null);

        b.subscriptions.repair(_ -> true);

        assertThat(stored.stored()).hasSize(1);
    }

    @Test
    void ignoresTheLateChangeOfAnOlderConnectionOfTheSameSession() {
        a.subscribe(NEW, 200, "x");
        a.stored.stopWriting();
        a.unsubscribe(NEW, 200, "x");
        a.stored.leave();
        b.subscribe(NEW, 300, "y");
        a.stored.goOnWriting();
        b.subscriptions.repair(_ -> true);

        assertThat(a.receivers("y")).containsExactly(NEW);
        assertThat(restarted().subscriptions.of(NEW))
                .containsExactlyInAnyOrder(Requests.request("x"), Requests.request("y"));
    }

    @Test
    void ignoresTheLateChangeOfAnOlderConnectionAlsoWhenTheNewerOneChangedNothing() {
        a.subscribe(NEW, 200, "x");
        a.stored.stopWriting();
        a.unsubscribe(NEW, 200, "x");
        a.stored.leave();
        assertThat(b.subscribe(NEW, 300, "x")).isCompletedWithValue(List.of(SubscriptionRequest.Outcome.REPLACED));
        a.stored.goOnWriting();

        assertThat(b.receivers("x")).containsExactly(NEW);
    }

    @Test
    void buildsOnWhatAnotherNodeHasAcknowledged() {
        assertThat(a.subscribe(NEW, 200, "x")).isCompleted();
        assertThat(b.subscribe(NEW, 300, "y")).isCompleted();
        assertThat(a.subscribe(NEW, 400, "z")).isCompleted();

        assertThat(restarted().subscriptions.of(NEW)).hasSize(3);
    }

    @Test
    void acknowledgesOnlyWhenTheOtherNodeShowsTheSubscription() {
        b.stored.stopReading();
        CompletionStage<?> subscribed = a.subscribe(NEW, 200, "x");
        assertThat(subscribed).isNotDone();

        b.stored.goOnReading();

        assertThat(subscribed).isCompleted();
        assertThat(b.receivers("x")).containsExactly(NEW);
    }

    @Test
    void changesNothingForAConnectionThatIsTakenOver() {
        b.subscribe(NEW, 300, "x");

        assertThat(a.subscribe(NEW, 200, "y")).isCompletedExceptionally();
        assertThat(a.unsubscribe(NEW, 200, "x")).isCompletedExceptionally();

        assertThat(a.receivers("x")).containsExactly(NEW);
        assertThat(a.receivers("y")).isEmpty();
        assertThat(stored.changes()).isEqualTo(1);
    }

    @Test
    void keepsTheRecordOfASessionThatHasNoSubscriptionsLeftUntilItEnds() {
        a.subscribe(NEW, "x");
        a.unsubscribe(NEW, "x");
        assertThat(a.subscriptions.sessionCount()).isZero();
        assertThat(stored.stored()).hasSize(1);
        assertThat(a.subscriptions.persistentClients(0)).containsExactly(NEW);

        a.subscriptions.end(NEW);

        assertThat(stored.stored()).isEmpty();
        assertThat(b.subscriptions.persistentClients(0)).isEmpty();
    }

    @Test
    void removesTheRecordOnlyWhenNoNewerOneCameMeanwhile() {
        a.subscribe(OLD, "old");
        b.stored.stopReading();
        a.subscriptions.end(OLD);
        a.subscribe(NEW, "new");
        b.stored.goOnReading();

        assertThat(stored.stored()).hasSize(1);
        assertThat(b.receivers("new")).containsExactly(NEW);
        assertThat(restarted().receivers("new")).containsExactly(NEW);
    }

    @Test
    void removesTheRecordLaterWhenThatWasRefused() {
        a.subscribe(OLD, "old");
        b.stored.stopReading();
        a.subscriptions.end(OLD);
        a.stored.refuse(new IllegalStateException("too much waits"));
        b.stored.goOnReading();
        a.stored.refuse(null);
        assertThat(stored.stored()).hasSize(1);

        b.subscriptions.end(OLD); // a new owner of the shard tells that again

        assertThat(stored.stored()).isEmpty();
    }

    @Test
    void hasTheWatcherLookAtALateRecordOfAnOldSessionWhenNothingNewerIsThere() {
        List<Subscriber> seen = new ArrayList<>();
        a.subscribe(OLD, "old");
        a.stored.stopWriting();
        a.subscribe(OLD, "late");
        a.stored.leave();
        b.subscriptions.end(OLD);
        b.subscriptions.watch(seen::add);
        a.stored.goOnWriting();
        assertThat(seen).containsExactly(OLD);

        b.subscriptions.end(OLD);

        assertThat(stored.stored()).isEmpty();
        assertThat(b.receivers("late")).isEmpty();
    }

    private TestNode restarted() {
        return new TestNode("c#1", compacted(), routes);
    }

    /** The map as a node reads it that comes after compaction: the last record of each key. */
    private SharedReplicatedMap compacted() {
        SharedReplicatedMap compacted = new SharedReplicatedMap();
        stored.stored().forEach(compacted.node()::put);
        return compacted;
    }

    @Test
    void recordSaysWhoseSessionItIsOnceThatIsKnown() {
        a.format.raise(PrincipalFormat.FIRST);
        b.format.raise(PrincipalFormat.FIRST);
        a.subscribe(sessionOf(null), 1, "t", "u");
        assertThat(b.subscriptions.principal(sessionOf(null))).isNull();

        Principal alice = new Principal("r", "alice");
        b.subscriptions.resumed(sessionOf(alice), 2);
        assertThat(a.subscriptions.principal(sessionOf(null))).isEqualTo(alice);
        assertThat(a.receivers("t")).hasSize(1);
        assertThat(a.receivers("u")).hasSize(1);

        Principal promoted = new Principal("r", "alice", null, null, List.of("admins"), null);
        b.subscriptions.resumed(sessionOf(promoted), 3);
        assertThat(a.subscriptions.principal(sessionOf(null))).isEqualTo(promoted);
    }

    /** The client authenticates again while its SUBSCRIBE, the first or one more, is on its way. */
    @Test
    void recordOnItsWayIsFollowedByOneThatSaysWhatIsKnownByNow() {
        a.format.raise(PrincipalFormat.FIRST);
        Principal alice = new Principal("r", "alice");
        Principal promoted = new Principal("r", "alice", null, null, List.of("admins"), null);
        for (String filter : List.of("first", "more")) {
            a.stored.stopWriting();
            CompletionStage<?> subscribed = a.subscribe(sessionOf(alice), 1, filter);
            CompletionStage<?> resumed = a.subscriptions.resumed(sessionOf(promoted), 1);
            assertThat(resumed).isNotCompleted();
            a.stored.goOnWriting();
            assertThat(subscribed).isCompleted();
            assertThat(resumed).isCompleted();
            assertThat(b.subscriptions.principal(sessionOf(null))).isEqualTo(promoted);
            assertThat(b.receivers(filter)).hasSize(1);
        }
    }

    /** Who authenticates again is told so when nothing matches any more that was withdrawn, were it all. */
    @Test
    void resumedOnceWhatIsOnItsWayMatches() {
        a.format.raise(PrincipalFormat.FIRST);
        Subscriber session = sessionOf(new Principal("r", "alice"));
        a.subscribe(session, 1, "t");
        a.stored.stopWriting();
        Rules others = new Rules(List.of(allowing("u")));
        a.subscriptions.withdraw(session, 1, others.bind(session.client()));
        CompletionStage<?> resumed = a.subscriptions.resumed(session, 1);
        assertThat(a.receivers("t")).hasSize(1);
        assertThat(resumed).isNotCompleted();
        a.stored.goOnWriting();
        assertThat(resumed).isCompleted();
        assertThat(a.receivers("t")).isEmpty();
    }

    @Test
    void recordSaysNothingOfWhoseSessionItIsBeforeAllNodesReadThat() {
        Principal alice = new Principal("r", "alice");
        a.subscribe(sessionOf(alice), 1, "t");
        byte[] before = stored.stored().get("c");
        a.subscriptions.resumed(sessionOf(alice), 2);
        a.subscribe(sessionOf(alice), 1, "t");
        assertThat(a.subscriptions.principal(sessionOf(null))).isNull();
        assertThat(stored.stored().get("c")).isEqualTo(before);

        a.format.raise(PrincipalFormat.FIRST);
        a.subscriptions.resumed(sessionOf(alice), 2);
        assertThat(b.subscriptions.principal(sessionOf(null))).isEqualTo(alice);
    }

    private static Subscriber sessionOf(@Nullable Principal principal) {
        return new Subscriber("c", true, 1, null, ClientKind.DEVICE, principal);
    }

    private long storedSession() {
        byte[] record = stored.stored().get("c");
        assertThat(record).isNotNull();
        return SubscriptionsCodec.decode("c", record).epoch();
    }
}
