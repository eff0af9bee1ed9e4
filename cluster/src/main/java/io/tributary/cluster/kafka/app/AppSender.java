package io.tributary.cluster.kafka.app;

import io.tributary.cluster.kafka.ClientProperties;
import io.tributary.cluster.kafka.KafkaAccessException;
import io.tributary.cluster.kafka.KafkaClients;
import io.tributary.cluster.kafka.KafkaConfig;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.TimeoutException;

/** One of Kafka's producers, until it has to be replaced; and how many of its records have a waiter. */
final class AppSender {
    private final Producer<byte[], byte[]> producer;
    private final AtomicInteger underWay = new AtomicInteger();
    private final Set<String> topics = ConcurrentHashMap.newKeySet();

    private volatile boolean retired;

    AppSender(KafkaConfig config, String clientId) {
        this(KafkaClients.producer(config, ClientProperties.appProducer(config, clientId)));
    }

    AppSender(Producer<byte[], byte[]> producer) {
        this.producer = producer;
    }

    /** How many topics it has had records of. */
    int topics() {
        return topics.size();
    }

    /** Gives a record to Kafka; a failure may come on the calling thread, before this returns. */
    @SuppressWarnings("FutureReturnValueIgnored") // the callback is told
    void send(ProducerRecord<byte[], byte[]> record, Callback callback) {
        underWay.incrementAndGet();
        if (retired) {
            callback.onCompletion(null, new TimeoutException("the producer was replaced just now"));
            return;
        }
        topics.add(record.topic());
        try {
            producer.send(record, callback);
        } catch (RuntimeException e) {
            callback.onCompletion(null, e);
        } catch (Error e) { // nobody knows what became of the record
            callback.onCompletion(null, new KafkaAccessException("Kafka's producer failed", e));
        }
    }

    /** So many of its records have no waiter any more. */
    void done(int records) {
        if (underWay.addAndGet(-records) == 0 && retired) {
            abort();
        }
    }

    /** No queue begins to use it any more: it ends when nobody waits for a record of it. */
    void retire() {
        retired = true;
        done(0);
    }

    /** Gives up what it has, without waiting. */
    void abort() {
        Thread.ofVirtual().start(this::abortOnItsThread);
    }

    /** Gives up what it has before anything else is sent; in a callback of Kafka's. */
    void abortOnItsThread() {
        producer.close(Duration.ZERO);
    }

    /** Gives up what it has. Blocks for at most a second. */
    void close() {
        Thread closing = Thread.ofVirtual().start(this::abortOnItsThread);
        try {
            closing.join(Duration.ofSeconds(1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
