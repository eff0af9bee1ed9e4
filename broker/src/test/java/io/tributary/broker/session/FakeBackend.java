package io.tributary.broker.session;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.retained.RetainedMessages;
import io.tributary.broker.routing.Publisher;
import io.tributary.broker.routing.RouteCallback;
import io.tributary.broker.routing.RouteOutcome;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.broker.subscription.SubscriptionRequest;
import io.tributary.broker.subscription.Subscriptions.Outcome;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Destinations;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.topic.TopicFilter;
import io.tributary.persistence.shard.AppendCallback;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** A backend that notes what it is asked, on any thread, and answers at once unless it is told to hold its answers. */
public final class FakeBackend implements SessionBackend {

    /** A message on its way to the router. */
    record Routed(Publisher publisher, Message message, int packetId, RouteCallback callback) {}

    /** A message on its way into the log. */
    record Appended(Message message, List<Recipient> recipients, AppendCallback callback) {}

    /** A PUBREL on its way into the log. */
    record Releasing(ShardEvent.Release release, AppendCallback callback) {}

    /** Acknowledgements for an owner. */
    @SuppressWarnings("ArrayRecordComponent")
    record Acknowledged(String clientId, long epoch, long[] sequences) {}

    final List<ShardEvent.Attach> attaches = new CopyOnWriteArrayList<>();
    final List<ShardEvent.Detach> detaches = new CopyOnWriteArrayList<>();
    final List<Releasing> releases = new CopyOnWriteArrayList<>();
    final List<Acknowledged> settled = new CopyOnWriteArrayList<>();
    final List<Acknowledged> received = new CopyOnWriteArrayList<>();
    final List<Appended> appended = new CopyOnWriteArrayList<>();
    final List<Routed> routed = new CopyOnWriteArrayList<>();
    final List<Destinations> peerDelivery = new CopyOnWriteArrayList<>();
    final List<SubscriptionRequest> subscribed = new CopyOnWriteArrayList<>();
    final List<TopicFilter> shared = new CopyOnWriteArrayList<>();
    final List<TopicFilter> unsubscribed = new CopyOnWriteArrayList<>();
    final List<String> lifecycle = new CopyOnWriteArrayList<>();
    final List<Message> retained = new CopyOnWriteArrayList<>();
    final List<Runnable> waitingForRoom = new CopyOnWriteArrayList<>();
    private final List<Runnable> untilCurrent = new CopyOnWriteArrayList<>();
    private final List<Runnable> untilMatched = new CopyOnWriteArrayList<>();

    @Nullable
    LocalSessions target;

    Attached attached = new Attached(100, 101, false, ClientKind.DEVICE, new int[0]);
    boolean holdAttach;

    /** Whether no more may ask for their sessions. */
    boolean full;

    /** How many have asked for their sessions and not been answered. */
    int waiting;

    boolean holdDetach;

    /** Told when the latest Detach is logged. */
    Runnable detached = () -> {};

    boolean echo;
    boolean holdRoutes;
    boolean holdReleases;
    boolean congested;
    boolean behind;
    boolean behindAgain;
    boolean unmatched;
    RouteOutcome outcome = new RouteOutcome.Safe();
    Outcome subscribeOutcome = Outcome.CREATED;
    Destinations otherMember = Destinations.NONE;

    @Nullable
    CompletableFuture<List<Outcome>> pendingSubscribe;

    @Nullable
    CompletableFuture<List<Boolean>> pendingUnsubscribe;

    /** Gives each QoS 0 message back to the connection that was attached last. */
    public void echo() {
        echo = true;
    }

    /** How many connections ended. */
    public int detached() {
        return detaches.size();
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
        Message message = SessionFixture.message("flood", "x".repeat(1_000), QoS.AT_MOST_ONCE);
        for (int i = 0; i < messages && target != null; i++) {
            target.deliverTransient(attaches.getLast().connection(), SessionFixture.queued(message));
        }
    }

    @Override
    public boolean mayAttach(String clientId) {
        return !full;
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
        if (target != null) {
            target.attached(attaches.getLast().connection(), attached);
        }
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

    @Override
    public void append(Message message, List<Recipient> recipients, AppendCallback callback) {
        appended.add(new Appended(message, recipients, callback));
    }

    @Override
    public boolean isCurrent() {
        return !behind;
    }

    @Override
    public Runnable onCurrent(Runnable action) {
        untilCurrent.add(action);
        return () -> untilCurrent.remove(action);
    }

    /** This node has caught up with the others. */
    void catchUp() {
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
    public Runnable onRoom(Runnable action) {
        waitingForRoom.add(action);
        return () -> waitingForRoom.remove(action);
    }

    @Override
    public void publish(Publisher publisher, Message message, int packetId, RouteCallback callback) {
        routed.add(new Routed(publisher, message, packetId, callback));
        if (echo && target != null) {
            target.deliverTransient(attaches.getLast().connection(), SessionFixture.queued(message));
        }
        if (!holdRoutes) {
            callback.onRouted(outcome);
        }
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
        return otherMember;
    }

    @Override
    public void deliverTransient(Message message, Destinations destinations) {
        peerDelivery.add(destinations);
    }

    @Override
    public CompletionStage<List<Outcome>> subscribe(
            Subscriber subscriber, long epoch, List<SubscriptionRequest> requests) {
        subscribed.addAll(requests);
        if (pendingSubscribe != null) {
            return pendingSubscribe;
        }
        return CompletableFuture.completedFuture(
                requests.stream().map(request -> subscribeOutcome).toList());
    }

    @Override
    public CompletionStage<@Nullable Void> share(TopicFilter filter) {
        shared.add(filter);
        return CompletableFuture.completedFuture(null);
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
    public void online(Subscriber subscriber) {
        lifecycle.add("online " + subscriber.clientId() + (subscriber.persistent() ? " persistent" : " transient"));
    }

    @Override
    public void offline(Subscriber subscriber) {
        lifecycle.add("offline " + subscriber.clientId());
    }

    @Override
    public void end(Subscriber subscriber) {
        lifecycle.add("end " + subscriber.clientId());
    }

    @Override
    public RetainedMessages.Page retained(TopicFilter filter, @Nullable String after, int max) {
        List<Message> matching = retained.stream()
                .filter(message -> filter.matches(message.topic()))
                .filter(message -> after == null || message.topic().compareTo(after) > 0)
                .toList();
        return matching.size() <= max
                ? new RetainedMessages.Page(matching, null)
                : new RetainedMessages.Page(
                        matching.subList(0, max), matching.get(max - 1).topic());
    }

    @Override
    public boolean isRetained(Message message) {
        return retained.contains(message);
    }
}
