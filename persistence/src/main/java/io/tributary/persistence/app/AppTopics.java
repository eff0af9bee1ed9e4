package io.tributary.persistence.app;

import io.tributary.common.event.ClientKind;
import io.tributary.common.event.GroupIdentifier;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.Source;
import io.tributary.common.mqtt.Message;
import io.tributary.persistence.shard.AppendCallback;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The topics in which the messages of application clients wait: ordered, durable logs of whole messages, read by
 * position. Positions of one client's messages only grow, begin at 0 or above, and have gaps where another client's
 * messages are in the same topic or where records were deleted. No method but {@link #close} blocks, all may be called
 * from any thread; stages complete and callbacks are called on a thread of the implementation, where nothing may block.
 */
public interface AppTopics extends AutoCloseable {

    /**
     * Creates the client's topic, or does nothing when it exists; a topic that is being deleted is created anew once it
     * is gone. Tried until it succeeds or the topics are closed: the servers may be away for a while. For a moment
     * {@link #find} may not know of a new one.
     *
     * @return completes with which topic it is, and the position behind everything that it has, 0 when it is new
     */
    CompletionStage<Found> create(AppTopic topic);

    /**
     * Deletes the client's topic with all its records; does nothing when there is none. Where clients really share one,
     * their records stay in it until their time is over. Tried once, within seconds, for the caller may not be the one
     * to decide any more then; fails when that did not work, and also when that is not known.
     *
     * @return completes with true, or with false when the topic of that name is somebody else's and stays
     */
    CompletionStage<Boolean> delete(AppTopic topic);

    /** The topics that {@link #delete} would remove, as far as clients can be read from the names of topics. */
    CompletionStage<Set<AppTopic>> deletable();

    /**
     * Appends a message. Appends of one thread to one topic keep their order. One to a topic that does not exist is
     * told offset -1 and no failure when its session is over, after as long as it takes to be certain of that; for one
     * that lives ({@link #keepFor}) the topic is made anew. Nothing else waits for it.
     *
     * @param recipient how the message shall arrive, and in which session of the client
     * @param source where it was forwarded from, so that a reader can skip repeats, or null
     * @param callback told the position when it is durable; callbacks of one topic come in the order of positions
     * @return false when the buffer is full: nothing was appended, the callback will not be called, and the caller
     *     waits for {@link #onRoom}
     */
    boolean append(
            AppTopic topic, Message message, Recipient recipient, @Nullable Source source, AppendCallback callback);

    /** Says whose sessions live: appends for others are dropped when there is no topic. Without this all are. */
    default void keepFor(Predicate<Recipient> lives) {}

    /** Runs the action once when there is room for appends again, at once when there is room now. It must not block. */
    void onRoom(Runnable action);

    /**
     * Reads the client's messages in order; where there is none yet, waits for the next one. A topic has one reader at
     * a time: a second read of the same client supersedes the first, which completes exceptionally. Cancelling the
     * answer ends the wait.
     *
     * @param id which topic it is to be, or null for whichever there is
     * @param from the lowest position wanted, at least 0; when it was deleted, reading begins behind what was
     * @param maxRecords the most records of the answer
     * @param maxBytes reading stops when the messages of the answer have at least as many bytes
     * @return at least one record, or none and a {@link Page#next} above {@code from} when there were only others';
     *     none and a {@link Page#from} below {@code from} when the topic has lost its end from there on, and has
     *     something else there by now; fails when the topic does not exist, is another one, ends before {@code from},
     *     cannot be read, or the topics are closed
     */
    CompletableFuture<Page> read(AppTopic topic, @Nullable String id, long from, int maxRecords, int maxBytes);

    /**
     * Tells that nobody on this node reads the client's messages for now, say because its shard has moved: a read that
     * waits fails, and nothing that was read ahead is kept. The next read is as the first.
     */
    void release(AppTopic topic);

    /**
     * Completes with which topic it is and where it ends; with null when there is no such topic. Asked once: fails when
     * that is not known.
     */
    CompletionStage<@Nullable Found> find(AppTopic topic);

    /** Finds many topics as {@link #find} does each, with as few requests as there can be. */
    default Map<AppTopic, CompletionStage<@Nullable Found>> findAll(Collection<AppTopic> topics) {
        Map<AppTopic, CompletionStage<@Nullable Found>> found = new HashMap<>();
        topics.forEach(topic -> found.put(topic, find(topic)));
        return found;
    }

    /**
     * Tells that the client needs no message below the position any more. The topic's own records below it are deleted,
     * unless acknowledged messages are configured to be kept for other readers; a shared topic is left as it is. What
     * is shown to Kafka's lag tools follows, too. Called as often as one likes: it is done now and then.
     *
     * @param id which topic it is: nothing is deleted of another one; null for whichever there is
     */
    void acknowledged(AppTopic topic, @Nullable String id, long position);

    /** Stops; appends that were accepted are completed first, waiting reads fail. Blocks until done. */
    @Override
    void close();

    /**
     * The topic of an application client.
     *
     * @param clientId the client identifier
     * @param shared whether it is the one that clients with little traffic share
     */
    record AppTopic(String clientId, boolean shared) {
        /** The topic of a client whose messages wait in one of this kind. */
        public static AppTopic of(String clientId, ClientKind kind) {
            return new AppTopic(clientId, kind == ClientKind.SMALL_APPLICATION);
        }

        @Override
        public String toString() {
            return (shared ? "shared topic of " : "topic of ") + GroupIdentifier.display(clientId);
        }
    }

    /**
     * A topic that is there.
     *
     * @param id which topic it is: one that was made anew under the same name has another
     * @param end the position behind its last record
     */
    record Found(String id, long end) {}

    /**
     * Some of a client's messages.
     *
     * @param from where reading began: {@code read}'s position, or behind it when records from there on are deleted, or
     *     before it when the topic is another one from there on
     * @param next the position to read on from
     */
    record Page(List<AppRecord> records, long from, long next) {}

    /**
     * One message of a client.
     *
     * @param position its position in the topic
     * @param timeMillis when it was appended, by the log's clock
     * @param recipient how it shall arrive, and in which session; {@link AppRecord#ANY_SESSION} when a back-end
     *     appended it, which knows of none
     */
    record AppRecord(
            long position,
            long timeMillis,
            Message message,
            Recipient recipient,
            @Nullable Source source) {

        /** Stands for whatever session the client has. */
        public static final long ANY_SESSION = -1;
    }
}
