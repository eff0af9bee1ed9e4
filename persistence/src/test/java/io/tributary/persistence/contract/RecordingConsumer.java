package io.tributary.persistence.contract;

import static io.tributary.persistence.contract.Waiting.until;

import io.tributary.persistence.app.GroupTopics.Consumer;
import io.tributary.persistence.app.GroupTopics.GroupMessage;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Notes the messages of a group as they come; for tests with few of them. */
public final class RecordingConsumer implements Consumer {
    private final List<GroupMessage> messages = new CopyOnWriteArrayList<>();

    @Override
    public void onMessages(List<GroupMessage> more) {
        messages.addAll(more);
    }

    /** All that came so far, in their order. */
    public List<GroupMessage> messages() {
        return List.copyOf(messages);
    }

    /** Waits until so many came; all that did. */
    public List<GroupMessage> await(int count) {
        until(() -> messages.size() >= count);
        return messages();
    }

    /** The number that a message of {@link SavePoints#message} differs by. */
    public static long number(GroupMessage message) {
        return Long.parseLong(new String(message.message().payload(), StandardCharsets.UTF_8));
    }
}
