package io.tributary.broker;

import io.tributary.broker.connection.ClientConnections;
import io.tributary.broker.delivery.ConnectionRegistry;
import io.tributary.broker.deployment.Deployment;
import io.tributary.broker.deployment.Storage;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.broker.retained.RetainedMessages;
import io.tributary.broker.routing.MessagePriorities;
import io.tributary.broker.routing.PublishPolicy;
import io.tributary.broker.routing.Router;
import io.tributary.broker.routing.RouterOutputs;
import io.tributary.broker.routing.RouterRecorder;
import io.tributary.broker.security.Authorizer;
import io.tributary.broker.shard.ShardAppends;
import io.tributary.broker.subscription.Subscriptions;
import io.tributary.broker.tenant.Tenants;
import java.util.List;

/**
 * The part of a node that decides where a message goes: the router, and what the router looks at.
 *
 * @param uncounted routes what the broker's own clients publish: it counts nothing, no extension sees it, and no
 *     message has a priority
 */
record Publishing(Subscriptions subscriptions, RetainedMessages retained, Router router, Router uncounted) {

    /** Builds it; whoever has the subscriptions and the retained messages starts them. */
    static Publishing of(
            BrokerConfig config,
            BrokerExtensions extensions,
            BrokerMetrics metrics,
            Deployment deployment,
            ShardAppends appends,
            ConnectionRegistry connections,
            ClientConnections clientConnections,
            Tenants tenants) {
        Storage storage = deployment.storage();
        Subscriptions subscriptions = new Subscriptions(
                storage.subscriptions(),
                deployment.routes(),
                config.subscriptions(),
                config.shared(),
                clientConnections::inFlight,
                appends.count(),
                appends::shardOf,
                extensions.authorizer(),
                System::nanoTime);
        storage.topics().keepFor(to -> subscriptions.lives(to.clientId(), to.session()));
        RetainedMessages retained = new RetainedMessages(
                storage.retained(), config.retained(), deployment.clock(), deployment.format(), tenants);
        int largestPacketBytes = config.largestPackets().maxPacketBytes();
        RouterOutputs outputs = new RouterOutputs(connections, deployment.inbox(), appends::publish, appends::relay);
        RouterFactory routerOf = (policy, priorities, recorder) -> new Router(
                deployment.node(), deployment.view(), subscriptions, retained, policy, priorities, outputs, recorder);
        return new Publishing(
                subscriptions,
                retained,
                routerOf.create(
                        new PublishPolicy(extensions.authorizer(), extensions.publish(), largestPacketBytes),
                        new MessagePriorities(config.priorities(), deployment.format()),
                        metrics.router()),
                routerOf.create(
                        new PublishPolicy(Authorizer.allowAll(), List.of(), largestPacketBytes),
                        MessagePriorities.NONE,
                        RouterRecorder.NONE));
    }

    /** Makes the routers of a node, which differ in these alone. */
    @FunctionalInterface
    private interface RouterFactory {
        /** Makes one. */
        Router create(PublishPolicy policy, MessagePriorities priorities, RouterRecorder recorder);
    }
}
