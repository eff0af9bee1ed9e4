package io.tributary.broker.loop;

import io.tributary.common.codec.PublishTemplate;
import io.tributary.common.mqtt.Message;
import org.jspecify.annotations.Nullable;

/**
 * The encoded form of the message that an event loop sends just now, once for each form of MQTT. A message for many
 * sessions of the loop reaches them one after the other, so that one entry is enough. Confined to the event loop.
 */
public final class TemplateCache {
    private final Entry mqtt3 = new Entry();
    private final Entry mqtt5 = new Entry();

    TemplateCache() {}

    /** The message's template. */
    @SuppressWarnings("ReferenceEquality") // another message that is equal is rare, and costs only time
    public PublishTemplate of(Message message, boolean asMqtt5) {
        Entry entry = asMqtt5 ? mqtt5 : mqtt3;
        PublishTemplate template = entry.template;
        if (template == null || entry.message != message) {
            template = PublishTemplate.of(message, asMqtt5);
            entry.template = template;
            entry.message = message;
        }
        return template;
    }

    /** Forgets the messages, which must not be held longer than a turn. */
    void clear() {
        mqtt3.clear();
        mqtt5.clear();
    }

    private static final class Entry {
        private @Nullable Message message;
        private @Nullable PublishTemplate template;

        private void clear() {
            message = null;
            template = null;
        }
    }
}
