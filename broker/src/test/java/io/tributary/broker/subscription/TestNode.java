package io.tributary.broker.subscription;

import io.tributary.broker.fake.SharedReplicatedMap;
import io.tributary.broker.security.Authorizer;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.topic.TopicFilter;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/** A node's subscriptions, over maps that other nodes follow, too. */
final class TestNode {
    final String id;
    final SharedReplicatedMap.Node stored;
    final SharedReplicatedMap.Node routes;
    final RecordFormat format = new RecordFormat(RecordFormat.NEWEST + 1);
    final Subscriptions subscriptions;

    TestNode(String id, SharedReplicatedMap stored, SharedReplicatedMap routes) {
        this(id, stored, routes, SharedChoice.DEFAULT);
    }

    TestNode(String id, SharedReplicatedMap stored, SharedReplicatedMap routes, SharedChoice choice) {
        this(id, stored, routes, choice, Authorizer.allowAll());
    }

    TestNode(
            String id,
            SharedReplicatedMap stored,
            SharedReplicatedMap routes,
            SharedChoice choice,
            Authorizer authorizer) {
        this.id = id;
        this.stored = stored.node();
        this.routes = routes.node();
        subscriptions = new Subscriptions(
                this.stored,
                new Routes(this.routes, id, format),
                new SubscriptionLimits(100, 100, 1 << 20, 1024, 1 << 30, 64),
                choice,
                _ -> 0,
                1,
                _ -> 0,
                authorizer,
                System::nanoTime);
        subscriptions.start().toCompletableFuture().join();
    }

    CompletionStage<List<SubscriptionRequest.Outcome>> subscribe(Subscriber subscriber, String... filters) {
        return subscribe(subscriber, 0, filters);
    }

    CompletionStage<List<SubscriptionRequest.Outcome>> subscribe(Subscriber subscriber, long epoch, String... filters) {
        List<SubscriptionRequest> requests =
                Stream.of(filters).map(Requests::request).toList();
        return subscriptions.subscribe(subscriber, epoch, requests);
    }

    CompletionStage<List<Boolean>> unsubscribe(Subscriber subscriber, String... filters) {
        return unsubscribe(subscriber, 0, filters);
    }

    CompletionStage<List<Boolean>> unsubscribe(Subscriber subscriber, long epoch, String... filters) {
        return subscriptions.unsubscribe(
                subscriber, epoch, Stream.of(filters).map(TopicFilter::parse).toList());
    }

    List<String> filters(Subscriber subscriber) {
        return subscriptions.of(subscriber).stream()
                .map(request -> request.filter().filter())
                .toList();
    }

    List<String> nodes(String topic) {
        return subscriptions.match(topic).nodes();
    }

    List<Subscriber> receivers(String topic) {
        return subscriptions.match(topic).receivers().stream()
                .map(Receiver::subscriber)
                .toList();
    }

    /** Each member of a shared subscription that ten messages found online. */
    List<Subscriber> online(String group) {
        SharedGroup found = subscriptions.group(group);
        return found == null
                ? List.of()
                : Stream.generate(() -> found.pickOnline("p", "t", _ -> true))
                        .limit(10)
                        .flatMap(Stream::ofNullable)
                        .map(Receiver::subscriber)
                        .distinct()
                        .toList();
    }
}
