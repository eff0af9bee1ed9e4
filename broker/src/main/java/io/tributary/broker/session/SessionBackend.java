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

/**
 * What stands behind a session, in the words of those who do it: {@link Shards}, {@link ShardAppends}, {@link NodeView},
 * {@link Router}, {@link Subscriptions}, {@link ApplicationGroups} and {@link RetainedMessages} say what each method means. One
 * port, so that sessions are tested without a log or a store.
 */
public interface SessionBackend {

    /** The real ones. */
    static SessionBackend of(
            Shards shards,
            ShardAppends appends,
            NodeView view,
            Router router,
            Subscriptions subscriptions,
            ApplicationGroups groups,
            RetainedMessages retained) {
        return new LiveBackend(
                shards,
                appends,
                new RoomQueue(shards::onRoom),
                view,
                new RoomQueue(view::onCurrent),
                router,
                subscriptions,
                groups,
                retained);
    }

    /** {@link Shards#mayAttach}. */
    boolean mayAttach(String clientId);

    /** {@link Shards#attach}. */
    void attach(ShardEvent.Attach attach, LongConsumer appended);

    /** {@link Shards#attachAnswered}. */
    void attachAnswered(String clientId);

    /** {@link Shards#detach}. */
    void detach(ShardEvent.Detach detach, Runnable logged);

    /** {@link Shards#release}. */
    void release(ShardEvent.Release release, AppendCallback callback);

    /** {@link Shards#settle}. */
    void settle(String clientId, long epoch, long[] sequences);

    /** {@link Shards#received}. */
    void received(String clientId, long epoch, long[] sequences);

    /** {@link ShardAppends#publish}, straight from the broker. */
    void append(Message message, List<Recipient> recipients, AppendCallback callback);

    /** {@link Shards#isCongested}. */
    boolean isCongested();

    /** {@link RoomQueue#await}. */
    Runnable onRoom(Runnable action);

    /** {@link NodeView#isCurrent}. */
    boolean isCurrent();

    /**
     * {@link NodeView#onCurrent}.
     *
     * @return gives up waiting
     */
    Runnable onCurrent(Runnable action);

    /** {@link Router#publish(Publisher, Message, int, RouteCallback)}. */
    void publish(Publisher publisher, Message message, int packetId, RouteCallback callback);

    /** {@link Router#isMatched}. */
    boolean isMatched(String publisher);

    /** {@link Router#onMatched}. */
    void onMatched(String publisher, Runnable action);

    /** {@link Router#matchGroup}. */
    Destinations matchGroup(Message message, Recipient leaving, boolean mayWait);

    /** {@link Router#deliverTransient}. */
    void deliverTransient(Message message, Destinations destinations);

    /** {@link Subscriptions#subscribe}. */
    CompletionStage<List<SubscriptionRequest.Outcome>> subscribe(
            Subscriber subscriber, long epoch, List<SubscriptionRequest> requests);

    /** {@link ApplicationGroups#share}. */
    CompletionStage<@Nullable Void> share(TopicFilter filter);

    /** {@link Subscriptions#unsubscribe}. */
    CompletionStage<List<Boolean>> unsubscribe(Subscriber subscriber, long epoch, List<TopicFilter> filters);

    /** {@link Subscriptions#online}. */
    void online(Subscriber subscriber);

    /** {@link Subscriptions#offline}. */
    void offline(Subscriber subscriber);

    /** {@link Subscriptions#end}. */
    void end(Subscriber subscriber);

    /** {@link RetainedMessages#page}. */
    RetainedMessages.Page retained(TopicFilter filter, @Nullable String after, int max);

    /** {@link RetainedMessages#isCurrent}. */
    boolean isRetained(Message message);
}
