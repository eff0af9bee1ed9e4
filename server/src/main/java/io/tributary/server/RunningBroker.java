package io.tributary.server;

import io.tributary.broker.Broker;
import io.tributary.server.settings.ServerConfig;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A broker that was started, with its configuration; closes it with the application, and says so.
 *
 * @param broker the broker
 * @param config what it was told
 */
record RunningBroker(Broker broker, ServerConfig config) implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RunningBroker.class);

    @Override
    public void close() {
        LOG.info("stopping");
        long begin = System.nanoTime();
        broker.close();
        LOG.info("stopped after {} ms: safe to stop", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin));
    }
}
