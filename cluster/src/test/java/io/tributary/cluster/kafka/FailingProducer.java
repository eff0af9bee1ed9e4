package io.tributary.cluster.kafka;

import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A producer of Kafka's that has an error with each record, so that nobody knows what became of it. */
public final class FailingProducer extends MockProducer<byte[], byte[]> {
    /** Creates one. */
    public FailingProducer() {
        super(false, null, new ByteArraySerializer(), new ByteArraySerializer());
    }

    @Override
    public synchronized Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record, Callback callback) {
        throw new StackOverflowError("as the test wants");
    }
}
