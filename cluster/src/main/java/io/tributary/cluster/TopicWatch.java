package io.tributary.cluster;

import io.tributary.cluster.kafka.KafkaAccessException;
import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaTopics;
import io.tributary.cluster.kafka.TopicNeeds;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks now and then whether Kafka's topics are still set up as they were at the start: a shorter retention or an
 * unclean election is seen in nothing else until messages are lost. On a thread of its own.
 */
final class TopicWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TopicWatch.class);

    private final KafkaConfig kafka;
    private final TopicNeeds needs;
    private final Thread thread;
    private volatile List<String> faults = List.of();

    /**
     * Starts to look.
     *
     * @param interval how long after the start and after each look the next one is
     */
    TopicWatch(KafkaConfig kafka, TopicNeeds needs, Duration interval) {
        this.kafka = kafka;
        this.needs = needs;
        thread = Thread.ofVirtual().name("tributary-topics").start(() -> run(interval));
    }

    /** What is not as it must be, a sentence each; any thread. */
    List<String> faults() {
        return faults;
    }

    private void run(Duration interval) {
        try {
            while (true) {
                Thread.sleep(interval);
                look();
            }
        } catch (InterruptedException e) {
            LOG.trace("stopped", e);
        }
    }

    private void look() {
        try {
            List<String> found = KafkaTopics.faults(kafka, needs);
            found.stream().filter(fault -> !faults.contains(fault)).forEach(fault -> LOG.error("{}", fault));
            if (found.isEmpty() && !faults.isEmpty()) {
                LOG.info("the topics in Kafka are set up again as they must be");
            }
            faults = found;
        } catch (KafkaAccessException e) {
            LOG.debug("the topics are looked at later", e);
        } catch (RuntimeException e) {
            LOG.error("the topics could not be looked at; trying again", e);
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
