package io.tributary.broker.retained;

import io.tributary.common.mqtt.Message;
import io.tributary.common.topic.TopicFilter;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The retained messages of all topics, in memory and in a replicated map. Any thread; never blocks. */
public final class RetainedMessages {

    /**
     * Keeps a message as its topic's retained one, or removes that when the payload is empty [MQTT-3.3.1-5,
     * MQTT-3.3.1-6]. The stage completes with true when it is durable, with false when a limit refuses it.
     */
    public CompletionStage<Boolean> store(Message message) {
        throw new UnsupportedOperationException();
    }

    /**
     * The retained messages that match, a page at a time, in the order of their topics; expired ones are left out.
     *
     * @param afterTopic the last topic of the page before, or null for the first
     * @param max the most messages of a page; an empty page is the end
     */
    public List<Message> match(TopicFilter filter, @Nullable String afterTopic, int max) {
        throw new UnsupportedOperationException();
    }
}
