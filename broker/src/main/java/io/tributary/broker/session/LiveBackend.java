package io.tributary.broker.session;

import io.tributary.broker.delivery.NodeView;
import io.tributary.broker.group.ApplicationGroups;
import io.tributary.broker.retained.RetainedMessages;
import io.tributary.broker.routing.Publisher;
import io.tributary.broker.routing.RouteCallback;
import io.tributary.broker.routing.Router;
import io.tributary.broker.shard.ShardAppends;
import io.tributary.broker.shard.Shards;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.broker.subscription.SubscriptionRequest;
import io.tributary.broker.subscription.Subscriptions;
import io.tributary.common.event.Destinations;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.mqtt.Message;
import io.tributary.common.topic.TopicFilter;
import io.tributary.persistence.shard.AppendCallback;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Hands each call to the one who answers it. */
record LiveBackend(
        Shards shards,
        ShardAppends appends,
        RoomQueue room,
        NodeView view,
        RoomQueue untilCurrent,
        Router router,
        Subscriptions subscriptions,
        ApplicationGroups groups,
        RetainedMessages retained)
        implements SessionBackend {

    @Override
    public boolean mayAttach(String clientId) {
        return shards.mayAttach(clientId);
    }

    @Override
    public void attachAnswered(String clientId) {
        shards.attachAnswered(clientId);
    }

    @Override
    public void attach(ShardEvent.Attach attach, LongConsumer appended) {
        shards.attach(attach, appended);
    }

    @Override
    public void detach(ShardEvent.Detach detach, Runnable logged) {
        shards.detach(detach, logged);
    }

    @Override
    public void release(ShardEvent.Release release, AppendCallback callback) {
        shards.release(release, callback);
    }

    @Override
    public void settle(String clientId, long epoch, long[] sequences) {
        shards.settle(clientId, epoch, sequences);
    }

    @Override
    public void received(String clientId, long epoch, long[] sequences) {
        shards.received(clientId, epoch, sequences);
    }

    @Override
    public void append(Message message, List<Recipient> recipients, AppendCallback callback) {
        appends.publish(message, recipients, null, callback);
    }

    @Override
    public boolean isCongested() {
        return shards.isCongested();
    }

    @Override
    public Runnable onRoom(Runnable action) {
        return room.await(action);
    }

    @Override
    public boolean isCurrent() {
        return view.isCurrent();
    }

    @Override
    public Runnable onCurrent(Runnable action) {
        return untilCurrent.await(action);
    }

    @Override
    public void publish(Publisher publisher, Message message, int packetId, RouteCallback callback) {
        router.publish(publisher, message, packetId, callback);
    }

    @Override
    public boolean isMatched(String publisher) {
        return router.isMatched(publisher);
    }

    @Override
    public void onMatched(String publisher, Runnable action) {
        router.onMatched(publisher, action);
    }

    @Override
    public Destinations matchGroup(Message message, Recipient leaving, boolean mayWait) {
        return router.matchGroup(message, leaving, mayWait);
    }

    @Override
    public void deliverTransient(Message message, Destinations destinations) {
        router.deliverTransient(message, destinations, () -> {});
    }

    @Override
    public CompletionStage<List<SubscriptionRequest.Outcome>> subscribe(
            Subscriber subscriber, long epoch, List<SubscriptionRequest> requests) {
        return subscriptions.subscribe(subscriber, epoch, requests);
    }

    @Override
    public CompletionStage<@Nullable Void> share(TopicFilter filter) {
        return groups.share(filter);
    }

    @Override
    public CompletionStage<List<Boolean>> unsubscribe(Subscriber subscriber, long epoch, List<TopicFilter> filters) {
        return subscriptions.unsubscribe(subscriber, epoch, filters);
    }

    @Override
    public void online(Subscriber subscriber) {
        subscriptions.online(subscriber);
    }

    @Override
    public void offline(Subscriber subscriber) {
        CompletionStage<?> _ = subscriptions.offline(subscriber);
    }

    @Override
    public void end(Subscriber subscriber) {
        subscriptions.end(subscriber);
    }

    @Override
    public RetainedMessages.Page retained(TopicFilter filter, @Nullable String after, int max) {
        return retained.page(filter, after, max);
    }

    @Override
    public boolean isRetained(Message message) {
        return retained.isCurrent(message);
    }
}
