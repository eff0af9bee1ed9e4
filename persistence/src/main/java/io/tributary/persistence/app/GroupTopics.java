package io.tributary.persistence.app;

import io.tributary.common.event.Source;
import io.tributary.common.mqtt.Message;
import io.tributary.persistence.shard.AppendCallback;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The topics in which the messages of applications' shared subscriptions wait, each one until a member has acknowledged it.
 * A group is named as clients write it, {@code $share/name/filter}. No method but {@link #close} blocks, all may be called from
 * any thread; stages complete and callbacks are called on a thread of the implementation, where nothing may block.
 */
public interface GroupTopics extends AutoCloseable {

    /** Creates a group's topic, or does nothing when it exists: from then on its messages are kept. Tried until it succeeds. */
    CompletionStage<@Nullable Void> create(String group);

    /** Deletes a group's topic with all that waits in it, or does nothing when there is none. Tried until it succeeds. */
    CompletionStage<@Nullable Void> delete(String group);

    /** The groups that have a topic, as far as they can be read from the names of topics. */
    CompletionStage<Set<String>> groups();

    /**
     * Appends a message, with the same terms as {@link AppTopics#append}.
     *
     * @param source where it was handed on from, or null; a repeat may reach a member all the same
     */
    boolean append(String group, Message message, @Nullable Source source, AppendCallback callback);

    /** Runs the action once when there is room for appends again, at once when there is room now. It must not block. */
    void onRoom(Runnable action);

    /**
     * Begins to take messages of a group for members on this node, beginning with the oldest that nobody has. At most one
     * consumption of a group at a time on a node.
     *
     * @param consumer told on a thread of the implementation; it must not block
     */
    Consumption consume(String group, Consumer consumer);

    /** Stops; appends that were accepted are completed first; what was taken and not answered goes to others. Blocks until done. */
    @Override
    void close();

    /** Takes messages of one group. */
    interface Consumer {
        /** The next messages, at most as many as were requested. Each has to be answered once. */
        void onMessages(List<GroupMessage> messages);
    }

    /** One node's part in taking the messages of a group. */
    interface Consumption extends AutoCloseable {
        /** Asks for so many more messages. */
        void request(int messages);

        /** A member has acknowledged the message: nobody gets it again. */
        void accept(GroupMessage message);

        /** No member here is done with the message: another may have it, with {@link GroupMessage#deliveries} raised. */
        void release(GroupMessage message);

        /** The message is given up; it goes to the dead-letter topic where one is configured. */
        void reject(GroupMessage message);

        /** Takes no more messages; what is not answered is released. Does not wait for that. */
        @Override
        void close();
    }

    /**
     * A message that was taken, until it is answered. Answers come from any thread.
     *
     * @param id what the implementation knows it by
     * @param deliveries how often it has been taken, 1 the first time
     * @param timeMillis when it was appended, by the log's clock
     */
    record GroupMessage(long id, int deliveries, long timeMillis, Message message) {}
}
