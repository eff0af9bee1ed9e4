package io.tributary.broker.connection;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.delivery.ConnectionRegistry;
import io.tributary.broker.delivery.NodeView;
import io.tributary.broker.extension.PublishInterceptor;
import io.tributary.broker.extension.PublishInterceptor.Decision;
import io.tributary.broker.extension.PublishInterceptor.Proceed;
import io.tributary.broker.fake.InMemoryReplicatedMap;
import io.tributary.broker.retained.RetainedLimits;
import io.tributary.broker.retained.RetainedMessages;
import io.tributary.broker.routing.ClientRouting;
import io.tributary.broker.routing.Publisher;
import io.tributary.broker.routing.RouteCallback;
import io.tributary.broker.routing.RouteOutcome;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.Permissions;
import io.tributary.broker.shard.ClientShards;
import io.tributary.broker.subscription.ClientSubscriptions;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.broker.subscription.SubscriptionRequest;
import io.tributary.broker.subscription.SubscriptionRequest.Outcome;
import io.tributary.broker.subscription.Withdrawal;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Destinations;
import io.tributary.common.event.Principal;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.event.Source;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.thread.RoomQueue;
import io.tributary.common.topic.TopicFilter;
import io.tributary.persistence.shard.AppendCallback;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The shards, the router and the subscriptions behind sessions: notes what it is asked, on any thread, and answers at
 * once unless it is told to hold its answers.
 */
public final class FakeBackend implements ClientShards, ClientRouting, ClientSubscriptions, NodeView {

    /** A message on its way to the router. */
    record Routed(Publisher publisher, Message message, int packetId, RouteCallback callback) {}

    /** A message on its way into the log. */
    record Appended(Message message, List<Recipient> recipients, AppendCallback callback) {}

    /** A PUBREL on its way into the log. */
    record Releasing(ShardEvent.Release release, AppendCallback callback) {}

    /** Acknowledgements for an owner. */
    @SuppressWarnings("ArrayRecordComponent")
    record Acknowledged(String clientId, long epoch, long[] sequences) {}

    /** What publishers are told to wait for. */
    @Nullable
    RoomQueue hold;

    /** What routing a message fails with. */
    @Nullable
    Error routingFailure;

    final List<ShardEvent.Attach> attaches = new CopyOnWriteArrayList<>();
    final List<ShardEvent.Detach> detaches = new CopyOnWriteArrayList<>();
    final List<Releasing> releases = new CopyOnWriteArrayList<>();
    final List<Acknowledged> settled = new CopyOnWriteArrayList<>();
    final List<Acknowledged> received = new CopyOnWriteArrayList<>();
    final List<Appended> appended = new CopyOnWriteArrayList<>();
    final List<Routed> routed = new CopyOnWriteArrayList<>();
    final List<Destinations> redistributed = new CopyOnWriteArrayList<>();
    final List<SubscriptionRequest> subscribed = new CopyOnWriteArrayList<>();
    final List<TopicFilter> shared = new CopyOnWriteArrayList<>();

    /** The shared subscription that no node hands out. */
    @Nullable
    TopicFilter unshared;

    final List<TopicFilter> unsubscribed = new CopyOnWriteArrayList<>();
    List<Withdrawal> withdrawn = List.of();

    /** Set, it answers in place of the list. */
    @Nullable
    CompletableFuture<List<Withdrawal>> pendingWithdraw;

    final List<Subscriber> resumed = new CopyOnWriteArrayList<>();

    /** When what is known of a client is stored. */
    CompletionStage<?> whenResumed = CompletableFuture.completedStage(null);

    final List<String> lifecycle = new CopyOnWriteArrayList<>();
    final RetainedMessages retained = new RetainedMessages(
            new InMemoryReplicatedMap(),
            new RetainedLimits(1_000, 10_000_000),
            InstantSource.system(),
            RecordFormat.alone());
    private final List<Runnable> untilRoom = new CopyOnWriteArrayList<>();
    private final List<Runnable> untilCurrent = new CopyOnWriteArrayList<>();
    private final List<Runnable> untilMatched = new CopyOnWriteArrayList<>();

    /** This as sessions have it. */
    final Backend parts = Backend.of(this, this::append, this, this, this, this::share, retained);

    /** Where its answers go. */
    final ConnectionRegistry connections = new ConnectionRegistry();

    /** The sessions that get its answers. */
    public final ClientConnections target = new ClientConnections(connections);

    Attached attached = new Attached(100, 101, false, ClientKind.DEVICE, new int[0], 50);
    boolean holdAttach;

    /** Whether no more may ask for their sessions. */
    boolean full;

    /** Whether the logs take events. */
    boolean writable = true;

    /** How many have asked for their sessions and not been answered. */
    int waiting;

    boolean holdDetach;

    /** Told when the latest Detach is logged. */
    Runnable detached = () -> {};

    boolean echo;
    boolean holdRoutes;
    boolean holdReleases;
    /** What the log refuses a message with, before it returns. */
    @Nullable
    Exception appendFailure;

    /** What the next match fails with. */
    @Nullable
    RuntimeException matchFailure;

    /** How many matches have failed. */
    int matchFailed;

    boolean congested;
    /** Where publishers wait for retained messages to be stored. */
    @Nullable
    RoomQueue storing;

    boolean behind;
    boolean behindAgain;
    boolean unmatched;
    int priorityOfWills;
    PublishInterceptor interceptorOfWills = (_, will) -> new Proceed(will);
    RouteOutcome outcome = new RouteOutcome.Safe();
    Outcome subscribeOutcome = Outcome.CREATED;
    /** For how long a change of subscriptions is to wait. */
    long subscribeWaitNanos;

    Destinations otherMember = Destinations.NONE;
    /** What else happens while a group is matched, such as that time goes by. */
    Runnable onMatch = () -> {};

    @Nullable
    CompletableFuture<List<Outcome>> pendingSubscribe;

    @Nullable
    CompletableFuture<List<Boolean>> pendingUnsubscribe;

    /** Creates it, with no retained message. */
    public FakeBackend() {
        retained.start().toCompletableFuture().join();
    }

    /** Gives each QoS 0 message back to the connection that was attached last. */
    public void echo() {
        echo = true;
    }

    /** How many connections ended. */
    public int detached() {
        return detaches.size();
    }

    /** How many connections ended in a way that has the will published, if there is one. */
    public long endedWithWill() {
        return detaches.stream().filter(ShardEvent.Detach::publishWill).count();
    }

    /** How many messages were published. */
    public int published() {
        return routed.size();
    }

    /** Answers no Attach before {@link #answerAttach}. */
    public void holdAttach() {
        holdAttach = true;
    }

    /** Hands so many messages of a kilobyte to the connection that was attached last. */
    public void flood(int messages) {
        flood(messages, 1_000);
    }

    public void flood(int messages, int payloadBytes) {
        Message message = ConnectionFixture.message("flood", "x".repeat(payloadBytes), QoS.AT_MOST_ONCE);
        for (int i = 0; i < messages; i++) {
            connections.deliverTransient(attaches.getLast().connection(), ConnectionFixture.queued(message));
        }
    }

    @Override
    public boolean mayAttach(String clientId) {
        return !full;
    }

    @Override
    public long sessions(String tenant) {
        return 0;
    }

    @Override
    public boolean isWritable() {
        return writable;
    }

    @Override
    public void attachAnswered(String clientId) {
        waiting--;
    }

    @Override
    public void attach(ShardEvent.Attach attach, LongConsumer appended) {
        attaches.add(attach);
        waiting++;
        appended.accept(attached.epoch());
        if (!holdAttach) {
            answerAttach();
        }
    }

    /** Answers the latest Attach. */
    public void answerAttach() {
        connections.attached(attaches.getLast().connection(), attached);
    }

    @Override
    public void detach(ShardEvent.Detach detach, Runnable logged) {
        detaches.add(detach);
        detached = logged;
        if (!holdDetach) {
            logged.run();
        }
    }

    @Override
    public void release(ShardEvent.Release release, AppendCallback callback) {
        releases.add(new Releasing(release, callback));
        if (!holdReleases) {
            callback.onAppended(1, null);
        }
    }

    @Override
    public void settle(String clientId, long epoch, long[] sequences) {
        settled.add(new Acknowledged(clientId, epoch, sequences));
    }

    @Override
    public void received(String clientId, long epoch, long[] sequences) {
        received.add(new Acknowledged(clientId, epoch, sequences));
    }

    /** All sequence numbers that were settled, in order. */
    long[] settledSequences() {
        return settled.stream()
                .flatMapToLong(each -> Arrays.stream(each.sequences()))
                .toArray();
    }

    private void append(Message message, List<Recipient> recipients, @Nullable Source source, AppendCallback callback) {
        if (appendFailure != null) {
            callback.onAppended(-1, appendFailure);
            return;
        }
        appended.add(new Appended(message, recipients, callback));
    }

    @Override
    public boolean isCurrent() {
        return !behind;
    }

    @Override
    public void onCurrent(Runnable action) {
        untilCurrent.add(action);
    }

    /** This node does not know all that the others have acknowledged. */
    public void fallBehind() {
        behind = true;
    }

    /** This node has caught up with the others. */
    public void catchUp() {
        behind = behindAgain;
        List.copyOf(untilCurrent).forEach(action -> {
            untilCurrent.remove(action);
            action.run();
        });
    }

    @Override
    public boolean isCongested() {
        return congested;
    }

    @Override
    public void onRoom(Runnable action) {
        untilRoom.add(action);
    }

    /** The logs have room again. */
    void makeRoom() {
        congested = false;
        untilRoom.forEach(Runnable::run);
    }

    /** How many connections wait for room. */
    int waitingForRoom() {
        return parts.room().size();
    }

    @Override
    public boolean owns(String clientId) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void publish(Publisher publisher, Message message, int packetId, RouteCallback callback) {
        routed.add(new Routed(publisher, message, packetId, callback));
        if (routingFailure != null) {
            throw routingFailure;
        }
        if (echo) {
            connections.deliverTransient(attaches.getLast().connection(), ConnectionFixture.queued(message));
        }
        if (hold != null) {
            Objects.requireNonNull(callback.publisher()).accept(hold);
        }
        if (!holdRoutes) {
            callback.onRouted(outcome);
        }
    }

    @Override
    public Decision interceptWill(ClientInfo client, Message will) {
        return interceptorOfWills.onPublish(client, will.withPriority(priorityOfWills));
    }

    @Override
    public @Nullable RoomQueue congestion() {
        return storing;
    }

    @Override
    public boolean isMatched(String publisher) {
        return !unmatched;
    }

    @Override
    public void onMatched(String publisher, Runnable action) {
        untilMatched.add(action);
    }

    /** All that was published is matched. */
    void match() {
        unmatched = false;
        List.copyOf(untilMatched).forEach(action -> {
            untilMatched.remove(action);
            action.run();
        });
    }

    @Override
    public Destinations matchGroup(Message message, Recipient leaving, boolean mayWait) {
        lifecycle.add("matchGroup " + leaving.clientId() + " " + leaving.group());
        onMatch.run();
        RuntimeException failure = matchFailure;
        if (failure != null) {
            matchFailure = null;
            matchFailed++;
            throw failure;
        }
        return otherMember;
    }

    @Override
    public void deliverTransient(Message message, Destinations destinations, Runnable taken) {
        redistributed.add(destinations);
    }

    @Override
    public Destinations match(Message message, @Nullable Principal principal, Runnable stored) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Destinations matchAgain(Message message) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean hasOnlineMember(String group) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long count(String tenant) {
        return 0;
    }

    @Override
    public CompletionStage<List<Outcome>> subscribe(
            Subscriber subscriber, long epoch, List<SubscriptionRequest> requests, long room) {
        subscribed.addAll(requests);
        if (pendingSubscribe != null) {
            return pendingSubscribe;
        }
        return CompletableFuture.completedFuture(
                requests.stream().map(request -> subscribeOutcome).toList());
    }

    private CompletionStage<@Nullable Void> share(TopicFilter filter) {
        shared.add(filter);
        return filter.equals(unshared)
                ? CompletableFuture.failedFuture(new IllegalStateException("nobody hands it out"))
                : CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<List<Boolean>> unsubscribe(Subscriber subscriber, long epoch, List<TopicFilter> filters) {
        unsubscribed.addAll(filters);
        if (pendingUnsubscribe != null) {
            return pendingUnsubscribe;
        }
        return CompletableFuture.completedFuture(filters.stream()
                .map(filter -> !filter.filter().contains("never"))
                .toList());
    }

    @Override
    public long waitNanos(Subscriber subscriber) {
        return subscribeWaitNanos;
    }

    @Override
    public boolean areWithin(Subscriber subscriber, Permissions permissions) {
        return withdrawn.isEmpty();
    }

    @Override
    public CompletionStage<List<Withdrawal>> withdraw(Subscriber subscriber, long epoch, Permissions permissions) {
        lifecycle.add("withdraw");
        return pendingWithdraw == null ? CompletableFuture.completedFuture(withdrawn) : pendingWithdraw;
    }

    @Override
    public void online(Subscriber subscriber) {
        lifecycle.add("online " + subscriber.clientId() + (subscriber.persistent() ? " persistent" : " transient"));
    }

    @Override
    public CompletionStage<?> resumed(Subscriber subscriber, long epoch) {
        resumed.add(subscriber);
        return whenResumed;
    }

    @Override
    public CompletionStage<@Nullable Void> offline(Subscriber subscriber) {
        lifecycle.add("offline " + subscriber.clientId());
        return CompletableFuture.completedStage(null);
    }

    @Override
    public void end(Subscriber subscriber) {
        lifecycle.add("end " + subscriber.clientId());
    }
}
