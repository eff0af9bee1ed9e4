package io.tributary.persistence.app;

import io.tributary.common.event.Source;
import io.tributary.common.mqtt.Message;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The topics of application clients. A topic is an ordered, durable log of whole messages, read by position; positions
 * only grow and may have gaps. No method blocks; stages complete on a thread of the log.
 */
public interface AppLog extends AutoCloseable {

    /** Creates a topic, or does nothing when it exists. */
    CompletionStage<@Nullable Void> create(String topic);

    /** Deletes a topic with all its records, or does nothing when there is none. */
    CompletionStage<@Nullable Void> delete(String topic);

    /**
     * Appends a record; completes with its position when it is durable.
     *
     * @param source where it was handed on from, so that a reader can skip repeats, or null
     */
    CompletionStage<Long> append(String topic, Message message, @Nullable Source source);

    /**
     * Reads records in order.
     *
     * @param fromPosition the lowest position wanted
     * @param maxRecords the most records of the answer, which has at least one if there is one
     * @param maxBytes reading stops when the messages of the answer have at least as many bytes
     */
    CompletionStage<List<AppRecord>> read(String topic, long fromPosition, int maxRecords, int maxBytes);

    /** Completes with the position behind the last record; 0 for an empty topic. */
    CompletionStage<Long> endPosition(String topic);

    /** Lets the log delete the records below the position. */
    CompletionStage<@Nullable Void> truncate(String topic, long position);

    /** Stops; writes that were accepted are completed first. Blocks until done. */
    @Override
    void close();

    /** One record of an application's topic. */
    record AppRecord(
            long position,
            long timeMillis,
            Message message,
            @Nullable Source source) {}
}
