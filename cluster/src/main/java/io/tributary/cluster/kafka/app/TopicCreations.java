package io.tributary.cluster.kafka.app;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.CreateTopicsResult;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.KafkaFuture;

/**
 * Creates topics, all that wait with one request: a client of Kafka's has one request at a time under way to a server,
 * and those of hundreds of applications that come together would wait for each other. Safe for all threads; nothing
 * blocks.
 */
final class TopicCreations {
    /** Kafka refuses requests that make too much of its metadata. */
    private static final int MOST_PARTITIONS = 200;

    private final Admin admin;

    // Guarded by this.
    private final Queue<Creation> waiting = new ArrayDeque<>();
    private boolean isUnderWay;

    private record Creation(NewTopic topic, CompletableFuture<String> id) {}

    TopicCreations(Admin admin) {
        this.admin = admin;
    }

    /** Creates a topic, once; of one name one at a time. Completes with its id. */
    CompletableFuture<String> create(NewTopic topic) {
        Creation creation = new Creation(topic, new CompletableFuture<>());
        synchronized (this) {
            waiting.add(creation);
        }
        sendNext();
        return creation.id;
    }

    private void sendNext() {
        List<Creation> next = takeNext();
        if (next.isEmpty()) {
            return;
        }
        try {
            send(next);
        } catch (RuntimeException | Error e) {
            next.forEach(each -> each.id.completeExceptionally(e));
        }
        CompletableFuture<?> _ = AppAdmin.all(next.stream().map(Creation::id).toList())
                .whenComplete((_, _) -> {
                    synchronized (this) {
                        isUnderWay = false;
                    }
                    sendNext();
                });
    }

    /** What goes with one request, which is under way then; nothing while another one is. */
    private synchronized List<Creation> takeNext() {
        List<Creation> next = new ArrayList<>();
        int partitions = 0;
        while (!isUnderWay && !waiting.isEmpty()) {
            partitions += waiting.peek().topic.numPartitions();
            if (!next.isEmpty() && partitions > MOST_PARTITIONS) {
                break;
            }
            next.add(waiting.remove());
        }
        isUnderWay |= !next.isEmpty();
        return next;
    }

    private void send(List<Creation> next) {
        CreateTopicsResult result =
                admin.createTopics(next.stream().map(Creation::topic).toList());
        for (Creation each : next) {
            KafkaFuture<?> _ = result.topicId(each.topic.name()).whenComplete((id, failure) -> {
                if (failure == null) {
                    each.id.complete(id.toString());
                } else {
                    each.id.completeExceptionally(failure);
                }
            });
        }
    }
}
