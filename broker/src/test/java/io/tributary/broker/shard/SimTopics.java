package io.tributary.broker.shard;

import io.tributary.common.event.Recipient;
import io.tributary.common.event.Source;
import io.tributary.common.mqtt.Message;
import io.tributary.persistence.app.AppTopics;
import io.tributary.persistence.shard.AppendCallback;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The durable topics of a simulation's applications. Appends become durable after a while, in the order of their
 * process; a crash loses a tail of what was not durable, and all callbacks. What is acknowledged may be deleted at
 * once.
 */
final class SimTopics {
    private static final double REFUSAL = 0.005;

    private final SimClock clock;
    private final Predicate<Recipient> lives;
    private final Map<String, Topic> topics = new TreeMap<>();

    private int lastId;

    private static final class Topic {
        final String id;
        final List<AppTopics.AppRecord> records = new ArrayList<>();
        /** Those that are acknowledged, too. */
        final List<AppTopics.AppRecord> all = new ArrayList<>();

        final List<Runnable> readers = new ArrayList<>();
        long end;

        Topic(int id) {
            this.id = "t" + id;
        }

        AppTopics.Found found() {
            return new AppTopics.Found(id, end);
        }

        /** Whoever reads is told. */
        void go() {
            List<Runnable> waiting = List.copyOf(readers);
            readers.clear();
            waiting.forEach(Runnable::run);
        }
    }

    /** @param lives whether a session lives, and messages for it wait while there is no topic */
    SimTopics(SimClock clock, Predicate<Recipient> lives) {
        this.clock = clock;
        this.lives = lives;
    }

    /** An administrator deletes a topic, and makes another of that name now and then; what was in it. */
    List<AppTopics.AppRecord> deleteOne() {
        if (topics.isEmpty()) {
            return List.of();
        }
        String name = clock.oneOf(List.copyOf(topics.keySet()));
        Topic gone = Objects.requireNonNull(topics.remove(name));
        if (clock.chance(0.3)) {
            topics.put(name, new Topic(++lastId));
        }
        gone.go();
        return gone.all;
    }

    View view() {
        return new View();
    }

    private static String nameOf(AppTopics.AppTopic topic) {
        return topic.shared() ? "shared" : "own " + topic.clientId();
    }

    private long add(Topic topic, Message message, Recipient recipient, @Nullable Source source) {
        long position = topic.end++;
        AppTopics.AppRecord record = new AppTopics.AppRecord(position, clock.nowMillis(), message, recipient, source);
        topic.records.add(record);
        topic.all.add(record);
        List<Runnable> readers = List.copyOf(topic.readers);
        topic.readers.clear();
        readers.forEach(Runnable::run);
        return position;
    }

    /** The topics as one process sees them. */
    final class View implements AppTopics {
        private final SimThread thread = new SimThread(clock, 2);
        private final Map<String, Queue<Pending>> pending = new HashMap<>();
        private final Map<String, CompletableFuture<Page>> reads = new HashMap<>();
        private final List<Runnable> waitingForRoom = new ArrayList<>();
        private boolean full;
        private boolean dead;

        private record Pending(
                Message message,
                Recipient recipient,
                @Nullable Source source,
                AppendCallback callback) {}

        @Override
        public CompletionStage<Found> create(AppTopic topic) {
            CompletableFuture<Found> created = new CompletableFuture<>();
            clock.after(clock.between(0, clock.chance(0.1) ? 500 : 10), () -> {
                if (!dead) {
                    Found found = topics.computeIfAbsent(nameOf(topic), _ -> new Topic(++lastId))
                            .found();
                    thread.execute(() -> created.complete(found));
                }
            });
            return created;
        }

        @Override
        public CompletionStage<Boolean> delete(AppTopic topic) {
            Topic gone = topic.shared() ? null : topics.remove(nameOf(topic));
            if (gone != null) {
                gone.go();
            }
            return CompletableFuture.completedStage(true);
        }

        @Override
        public CompletionStage<Set<AppTopic>> deletable() {
            return CompletableFuture.completedStage(Set.of());
        }

        @Override
        public void release(AppTopic topic) {}

        @Override
        public boolean append(
                AppTopic topic,
                Message message,
                Recipient recipient,
                @Nullable Source source,
                AppendCallback callback) {
            if (dead) {
                return true;
            }
            full |= clock.chance(REFUSAL);
            if (full) {
                return false;
            }
            String name = nameOf(topic);
            Queue<Pending> queue = pending.computeIfAbsent(name, _ -> new ArrayDeque<>());
            queue.add(new Pending(message, recipient, source, callback));
            if (queue.size() == 1) {
                makeDurableSoon(name, queue);
            }
            return true;
        }

        private void makeDurableSoon(String name, Queue<Pending> queue) {
            clock.after(clock.between(0, clock.chance(0.05) ? 200 : 8), () -> {
                if (!dead) {
                    makeDurable(name, queue);
                }
            });
        }

        private void makeDurable(String name, Queue<Pending> queue) {
            Topic topic = topics.get(name);
            for (int left = clock.between(1, 4); left > 0 && !queue.isEmpty(); left--) {
                if (topic == null && lives.test(queue.peek().recipient)) {
                    if (clock.chance(0.1)) {
                        topics.put(name, new Topic(++lastId));
                    }
                    break;
                }
                Pending next = queue.remove();
                long position = topic == null ? -1 : add(topic, next.message, next.recipient, next.source);
                thread.execute(() -> next.callback.onAppended(position, null));
            }
            if (!queue.isEmpty()) {
                makeDurableSoon(name, queue);
            }
        }

        @Override
        public void onRoom(Runnable action) {
            waitingForRoom.add(action);
            clock.after(clock.between(0, 20), () -> {
                if (!dead) {
                    full = false;
                    List<Runnable> actions = List.copyOf(waitingForRoom);
                    waitingForRoom.clear();
                    actions.forEach(Runnable::run);
                }
            });
        }

        @Override
        public CompletableFuture<Page> read(
                AppTopic topic, @Nullable String id, long from, int maxRecords, int maxBytes) {
            CompletableFuture<Page> answer = new CompletableFuture<>();
            CompletableFuture<Page> before = reads.put(topic.clientId(), answer);
            if (before != null) {
                before.cancel(false);
            }
            if (clock.chance(0.01)) {
                thread.execute(() -> answer.completeExceptionally(new IllegalStateException("cannot be read now")));
            } else {
                clock.after(clock.between(0, 4), () -> answer(topic, id, from, maxRecords, answer));
            }
            return answer;
        }

        private void answer(
                AppTopic name, @Nullable String id, long from, int maxRecords, CompletableFuture<Page> answer) {
            Topic topic = topics.get(nameOf(name));
            if (dead || answer.isDone()) {
                return;
            }
            if (topic == null || !topic.id.equals(id) || from > topic.end) {
                thread.execute(() -> answer.completeExceptionally(new IllegalStateException("it is not there")));
                return;
            }
            if (from == topic.end) {
                topic.readers.add(
                        () -> clock.after(clock.between(0, 4), () -> answer(name, id, from, maxRecords, answer)));
                return;
            }
            long begin = topic.records.isEmpty()
                    ? topic.end
                    : Math.max(from, topic.records.getFirst().position());
            List<AppRecord> page = new ArrayList<>();
            long next = begin;
            int most = clock.between(1, maxRecords);
            for (AppRecord each : topic.records) {
                if (each.position() >= begin && page.size() < most) {
                    next = each.position() + 1;
                    if (each.recipient().clientId().equals(name.clientId())) {
                        page.add(each);
                    }
                }
            }
            long readOn = Math.max(next, begin);
            thread.execute(() -> answer.complete(new Page(page, begin, readOn)));
        }

        @Override
        public CompletionStage<@Nullable Found> find(AppTopic name) {
            CompletableFuture<@Nullable Found> answer = new CompletableFuture<>();
            clock.after(clock.between(0, clock.chance(0.1) ? 500 : 10), () -> {
                Topic topic = topics.get(nameOf(name));
                Found found = topic == null ? null : topic.found();
                if (clock.chance(0.05)) {
                    thread.execute(() -> answer.completeExceptionally(new IllegalStateException("not known now")));
                } else if (!dead) {
                    thread.execute(() -> answer.complete(found));
                }
            });
            return answer;
        }

        @Override
        public void acknowledged(AppTopic topic, @Nullable String id, long position) {
            Topic found = topics.get(nameOf(topic));
            if (found != null && found.id.equals(id) && !topic.shared() && clock.chance(0.5)) {
                found.records.removeIf(each -> each.position() < position);
            }
        }

        @Override
        public void close() {}

        /** Dies: what is not durable is lost, but for some that the topics have already and nobody was told of. */
        void die() {
            dead = true;
            thread.die();
            pending.forEach((name, queue) -> {
                Topic topic = topics.get(name);
                for (int left = clock.between(0, queue.size()); left > 0 && topic != null; left--) {
                    Pending next = queue.remove();
                    add(topic, next.message, next.recipient, next.source);
                }
            });
        }

        /** Whether nothing waits to become durable. */
        boolean isIdle() {
            return pending.values().stream().allMatch(Queue::isEmpty);
        }
    }
}
