package io.tributary.cluster.kafka.app;

import io.tributary.cluster.kafka.KafkaRecorder;
import io.tributary.persistence.app.AppTopics.AppTopic;
import io.tributary.persistence.app.AppTopics.Page;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The reads of a node from applications' topics: a feed for each partition, shared out among a few consumers. */
final class AppReads implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AppReads.class);

    private static final long IDLE_CHECK_MILLIS = 10_000;
    private static final long ASK_AGAIN_MILLIS = 1000;
    /** A server that is asked may hear of a topic that was made just now a moment later. */
    private static final long ASK_SOON_MILLIS = 50;
    /** A topic is not given up before Kafka has said so often, at last a second apart, that it does not know it. */
    private static final int UNKNOWN_TIMES = 8;

    private final AppAdmin admin;
    private final ScheduledExecutorService timer;
    private final KafkaRecorder recorder;
    private final ReadAhead readAhead;
    private final BacklogReader catchUp;
    private final List<AppConsumer> readers = new ArrayList<>();
    private final LostEnds lostEnds = new LostEnds();
    private final Map<TopicPartition, AppFeed> feeds = new ConcurrentHashMap<>();
    /** Done when Kafka has answered which topics there are; confined to the timer. */
    private CompletableFuture<?> looked = CompletableFuture.completedFuture(null);

    private volatile boolean closed;

    /**
     * Creates it.
     *
     * @param consumers creates one of Kafka's consumers, by its name
     * @param closeTimeout how long closing waits for each of them
     */
    AppReads(
            Function<String, org.apache.kafka.clients.consumer.Consumer<byte[], byte[]>> consumers,
            Duration closeTimeout,
            AppTopicsConfig apps,
            String clientId,
            AppAdmin admin,
            ScheduledExecutorService timer,
            KafkaRecorder recorder,
            Consumer<Throwable> onBroken) {
        this.admin = admin;
        this.timer = timer;
        this.recorder = recorder;
        this.readAhead = new ReadAhead(apps.readAheadBytes());
        String behind = clientId + "-catch-up";
        this.catchUp = new BacklogReader(() -> consumers.apply(behind), admin::bounds, behind, recorder, onBroken);
        for (int i = 0; i < apps.consumers(); i++) {
            String name = clientId + "-reader-" + i;
            readers.add(new AppConsumer(
                    () -> consumers.apply(name), name, closeTimeout, recorder, this::lookWhereItIs, onBroken));
        }
        Repeated.every(timer, IDLE_CHECK_MILLIS, this::endIdle);
        Repeated.every(timer, ASK_AGAIN_MILLIS, this::lookForOthers);
    }

    CompletableFuture<Page> read(AppTopic topic, TopicPartition partition, AppRead read) {
        CompletableFuture<?> _ =
                read.answer().thenAccept(page -> lostEnds.reached(partition, read.clientId(), page.next()));
        while (!closed && !lostEnds.tell(partition, read)) {
            AppFeed feed = feeds.computeIfAbsent(partition, key -> open(topic, key));
            if (read.isOfAnother(feed.id())) {
                read.fail(AppFeed.IS_ANOTHER);
                CompletableFuture<?> _ = look(List.of(feed));
                break;
            }
            if (feed.read(read)) {
                break;
            }
            feeds.remove(partition, feed);
        }
        if (closed) {
            read.fail("the topics are closed");
        }
        return read.answer();
    }

    /** No connection of this node reads the client's messages any more. */
    void release(AppTopic topic, TopicPartition partition, String reason) {
        lostEnds.release(partition, topic.clientId());
        AppFeed feed = feeds.get(partition);
        if (feed instanceof SharedFeed shared) {
            shared.release(topic.clientId(), reason);
        } else if (feed != null) {
            end(feed, reason);
        }
    }

    /** The same for one whose session is over. */
    void forget(AppTopic topic, TopicPartition partition, String reason) {
        release(topic, partition, reason);
        lostEnds.forget(partition, topic.clientId());
    }

    @Override
    public void close() {
        closed = true;
        feeds.values().forEach(feed -> end(feed, "the topics are closed"));
        readers.forEach(AppConsumer::close);
        catchUp.close();
    }

    private AppFeed open(AppTopic topic, TopicPartition partition) {
        if (topic.shared()) {
            SharedFeed feed = new SharedFeed(partition, lostEnds, readAhead, catchUp, recorder, this::attend);
            identify(feed, 1, () -> lookWhereItEnds(feed, 1));
            return feed;
        }
        AppFeed feed = new OwnFeed(partition, topic.clientId(), lostEnds, readAhead, recorder, this::attend);
        identify(feed, 1, () -> {});
        return feed;
    }

    private void attend(AppFeed feed) {
        readers.get(Math.floorMod(feed.partition().hashCode(), readers.size())).attend(feed);
    }

    private void end(AppFeed feed, String reason) {
        feeds.remove(feed.partition(), feed);
        feed.end(reason);
        attend(feed);
    }

    private void identify(AppFeed feed, int time, Runnable then) {
        String topic = feed.partition().topic();
        CompletableFuture<?> _ = admin.ids(List.of(topic)).whenComplete((ids, failure) -> {
            String id = ids == null ? null : ids.get(topic);
            if (ids == null) {
                later(() -> identify(feed, time, then));
            } else if (id != null) {
                feed.identify(id);
                then.run();
            } else if (time < UNKNOWN_TIMES) {
                later(pause(time), () -> identify(feed, time + 1, then));
            } else {
                end(feed, "there is no topic " + topic);
            }
        });
    }

    /**
     * A topic that was deleted, and perhaps made anew, is read no more: positions of the new one say something else.
     */
    private void lookForOthers() {
        List<AppFeed> all =
                feeds.values().stream().filter(feed -> feed.id() != null).toList();
        if (!all.isEmpty() && looked.isDone()) {
            looked = look(all);
        }
    }

    private CompletableFuture<?> look(List<AppFeed> some) {
        Set<String> names = some.stream().map(feed -> feed.partition().topic()).collect(Collectors.toSet());
        return admin.ids(names)
                .thenAccept(ids -> some.stream()
                        .filter(feed -> !Objects.equals(
                                feed.id(), ids.get(feed.partition().topic())))
                        .forEach(feed -> end(feed, AppFeed.IS_ANOTHER)));
    }

    private void lookWhereItEnds(SharedFeed feed, int time) {
        CompletableFuture<?> _ = admin.end(feed.partition()).whenComplete((end, failure) -> {
            if (end != null) {
                feed.open(end);
            } else if (!AppAdmin.isUnknownTopic(failure)) {
                later(() -> lookWhereItEnds(feed, time));
            } else if (time < UNKNOWN_TIMES) {
                later(pause(time), () -> lookWhereItEnds(feed, time + 1));
            } else {
                end(feed, "there is no topic " + feed.partition().topic());
            }
        });
    }

    /** The position of a feed is not in its partition: it goes on where that begins, or waits until it is. */
    private void lookWhereItIs(AppFeed feed) {
        CompletableFuture<?> _ = admin.bounds(feed.partition()).whenComplete((bounds, failure) -> {
            if (failure != null) {
                LOG.debug("Kafka does not tell where {} begins and ends", feed.partition(), failure);
                later(() -> lookWhereItIs(feed));
            } else {
                feed.outOfRange(bounds.begin(), bounds.end());
            }
        });
    }

    /** How long a topic that was unknown so often is left alone. */
    private static long pause(int times) {
        return Math.min(ASK_AGAIN_MILLIS, ASK_SOON_MILLIS << (times - 1));
    }

    private void later(Runnable action) {
        later(ASK_AGAIN_MILLIS, action);
    }

    private void later(long millis, Runnable action) {
        if (!closed) {
            Future<?> _ = timer.schedule(action, millis, TimeUnit.MILLISECONDS);
        }
    }

    private void endIdle() {
        long now = System.nanoTime();
        for (AppFeed feed : List.copyOf(feeds.values())) {
            if (feed.endIfIdle(now)) {
                feeds.remove(feed.partition(), feed);
                attend(feed);
            }
        }
    }
}
