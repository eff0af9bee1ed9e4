package io.tributary.broker;

/** A subscription of the embedding application, made by {@link Broker#subscribe}. Any thread. */
@FunctionalInterface
public interface BrokerSubscription extends AutoCloseable {

    /** Ends it, and waits for nothing: messages that are on their way may still come. Twice does no harm. */
    @Override
    void close();
}
