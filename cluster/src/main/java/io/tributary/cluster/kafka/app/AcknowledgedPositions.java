package io.tributary.cluster.kafka.app;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How far clients have acknowledged their messages: now and then the records below are deleted, and the offsets of
 * groups set that Kafka's lag tools look at. What fails waits for the next time. Safe for all threads.
 */
final class AcknowledgedPositions {
    private static final Logger LOG = LoggerFactory.getLogger(AcknowledgedPositions.class);

    /** So many groups are told at a time, or a part of those that wait if that is more: each is a request. */
    private static final int GROUPS_AT_A_TIME = 200;

    private static final int TIMES_FOR_ALL = 6;

    private static final long LAST_SECONDS = 1;

    private final AppAdmin admin;
    private final boolean deleting;

    private final Map<TopicPartition, Position> deletable = new ConcurrentHashMap<>();
    /** The one that has waited longest first; guarded by itself. */
    private final Map<Group, Long> uncommitted = new LinkedHashMap<>();

    AcknowledgedPositions(AppAdmin admin, boolean deleting) {
        this.admin = admin;
        this.deleting = deleting;
    }

    /**
     * Notes a position; the last one of a partition counts, also where it is lower, for a topic may lose its end.
     *
     * @param id which topic it is: nothing is deleted of another one; null for whichever there is
     * @param own whether nobody else's messages are in the partition
     */
    void note(String group, TopicPartition partition, @Nullable String id, boolean own, long position) {
        synchronized (uncommitted) {
            uncommitted.put(new Group(group, partition), position);
        }
        if (own && deleting) {
            deletable.put(partition, new Position(id, position));
        }
    }

    /** Forgets a topic that is deleted. */
    void forget(TopicPartition partition) {
        deletable.remove(partition);
        synchronized (uncommitted) {
            uncommitted.keySet().removeIf(group -> group.partition.equals(partition));
        }
    }

    /** Tells Kafka what was noted, as far as it is its turn. */
    void flush() {
        begin();
    }

    /** Tells Kafka the last, and waits for a second at most. */
    void close() {
        try {
            CompletableFuture.allOf(begin().toArray(CompletableFuture<?>[]::new))
                    .get(LAST_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("some positions are not told", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private List<CompletableFuture<?>> begin() {
        List<CompletableFuture<?>> begun = new ArrayList<>();
        Map<TopicPartition, Position> below = new HashMap<>(deletable);
        if (!below.isEmpty()) {
            below.forEach(deletable::remove);
            begun.addAll(delete(below));
        }
        takeUncommitted()
                .forEach((group, position) -> begun.add(admin.commit(group.name, group.partition, position)
                        .whenComplete((done, failure) -> {
                            if (failure != null) {
                                LOG.debug(
                                        "the offset of group {} is not set; the next one will be", group.name, failure);
                            }
                        })));
        return begun;
    }

    /** Those whose turn it is, which wait no more then. */
    private Map<Group, Long> takeUncommitted() {
        Map<Group, Long> taken = new LinkedHashMap<>();
        synchronized (uncommitted) {
            int most = Math.max(GROUPS_AT_A_TIME, uncommitted.size() / TIMES_FOR_ALL);
            Iterator<Map.Entry<Group, Long>> oldest = uncommitted.entrySet().iterator();
            while (oldest.hasNext() && taken.size() < most) {
                Map.Entry<Group, Long> each = oldest.next();
                taken.put(each.getKey(), each.getValue());
                oldest.remove();
            }
        }
        return taken;
    }

    /** Deletes records, but of topics that were made anew. */
    private List<CompletableFuture<?>> delete(Map<TopicPartition, Position> below) {
        Set<String> topics = below.keySet().stream().map(TopicPartition::topic).collect(Collectors.toSet());
        CompletableFuture<Map<TopicPartition, CompletableFuture<Long>>> asked =
                admin.ids(topics).thenApply(ids -> admin.deleteRecords(request(below, ids)));
        List<CompletableFuture<?>> deleted = new ArrayList<>();
        below.forEach((partition, position) -> deleted.add(asked.thenCompose(
                        answers -> answers.getOrDefault(partition, CompletableFuture.completedFuture(0L)))
                .whenComplete((_, failure) -> {
                    if (failure != null) {
                        again(partition, position, failure);
                    }
                })));
        return deleted;
    }

    private static Map<TopicPartition, RecordsToDelete> request(
            Map<TopicPartition, Position> below, Map<String, String> ids) {
        Map<TopicPartition, RecordsToDelete> request = new HashMap<>();
        below.forEach((partition, position) -> {
            String id = ids.get(partition.topic());
            if (id != null && (position.id == null || position.id.equals(id))) {
                request.put(partition, RecordsToDelete.beforeOffset(position.offset));
            }
        });
        return request;
    }

    /**
     * Not where the partition ends before the position: what comes there later is not what was acknowledged, and what
     * is acknowledged then is noted.
     */
    private void again(TopicPartition partition, Position position, Throwable failure) {
        LOG.debug("acknowledged records of {} are not deleted yet", partition, failure);
        if (!AppAdmin.isUnknownTopic(failure) && !AppAdmin.isBehindTheEnd(failure)) {
            deletable.putIfAbsent(partition, position);
        }
    }

    /** A position of one topic. */
    private record Position(@Nullable String id, long offset) {}

    /** A group that is told of, and the partition that its client reads. */
    private record Group(String name, TopicPartition partition) {}
}
