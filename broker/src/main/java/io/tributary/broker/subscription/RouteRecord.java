package io.tributary.broker.subscription;

import io.tributary.common.topic.TopicFilter;

/** What a record in the map of routes says of a node: one that its key identifies. */
sealed interface RouteRecord {

    /** The node and its incarnation. */
    String node();

    /** The node has at least one transient session with this filter, which is not that of a shared subscription. */
    record Route(String node, String filter) implements RouteRecord {}

    /** A transient session is a member of a shared subscription. */
    record Member(String node, String clientId, long connection, SubscriptionRequest request) implements RouteRecord {

        TopicFilter filter() {
            return request.filter();
        }

        Receiver receiver() {
            return Receiver.of(new Subscriber(clientId, false, connection, node), request);
        }
    }

    /**
     * A persistent session that has shared subscriptions has a connection on the node; it is stuck if it acknowledges
     * nothing.
     */
    record Presence(String node, String clientId, long session, boolean isStuck) implements RouteRecord {

        Subscriber subscriber() {
            return new Subscriber(clientId, true, session);
        }
    }
}
