package io.tributary.broker.routing;

import io.tributary.broker.delivery.MessageRouting;
import io.tributary.broker.extension.PublishInterceptor.Decision;
import io.tributary.broker.security.ClientInfo;
import io.tributary.common.mqtt.Message;

/** The router, as the sessions of clients use it. Any thread; never blocks. */
public interface ClientRouting extends MessageRouting {

    /** {@link Router#publish(Publisher, Message, int, RouteCallback)}. */
    void publish(Publisher publisher, Message message, int packetId, RouteCallback callback);

    /**
     * What the interceptors decide on the authorised will of a client that connects, with the priority that it is to
     * have when it is published.
     */
    Decision interceptWill(ClientInfo client, Message will);

    /** {@link Router#isMatched}. */
    boolean isMatched(String publisher);

    /** {@link Router#onMatched}. */
    void onMatched(String publisher, Runnable action);
}
