package io.tributary.broker.loop;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.tributary.common.codec.PublishTemplate;
import io.tributary.common.mqtt.Message;
import org.jspecify.annotations.Nullable;

/**
 * The encoded form of the message that an event loop sends just now, once for each form of MQTT. A message for many
 * sessions of the loop reaches them one after the other, so that one entry is enough. They share a large
 * payload. Confined to the event loop.
 */
public final class TemplateCache {
    /** From this size on a second buffer for each receiver costs less than a copy of the payload. */
    public static final int LARGE_BYTES = 8 * 1024;

    private final Entry mqtt3 = new Entry();
    private final Entry mqtt5 = new Entry();

    TemplateCache() {}

    /** The message's template. */
    @SuppressWarnings("ReferenceEquality") // another message that is equal is rare, and costs only time
    public PublishTemplate of(Message message, boolean asMqtt5) {
        Entry entry = asMqtt5 ? mqtt5 : mqtt3;
        PublishTemplate template = entry.template;
        if (template == null || entry.message != message) {
            entry.clear();
            template = PublishTemplate.of(message, asMqtt5);
            entry.template = template;
            entry.message = message;
        }
        return template;
    }

    /**
     * The payload of the message that {@link #of} gave last, which is of {@link #LARGE_BYTES} or more, to be sent
     * behind the rest of the packet. The caller releases it.
     *
     * @return null for the first receiver, which may be the only one: it gets a copy
     */
    @SuppressWarnings("ReferenceEquality")
    public @Nullable ByteBuf sharedPayload(PublishTemplate template, ByteBufAllocator allocator) {
        Entry entry = template.isMqtt5() ? mqtt5 : mqtt3;
        if (entry.template != template) {
            return null;
        }
        if (!entry.hasReceiver) {
            entry.hasReceiver = true;
            return null;
        }
        ByteBuf payload = entry.payload;
        if (payload == null) {
            payload = allocator.ioBuffer(template.payloadSize());
            template.writePayload(payload);
            entry.payload = payload;
        }
        return payload.retainedDuplicate();
    }

    /** Forgets the messages, which must not be held longer than a turn. */
    void clear() {
        mqtt3.clear();
        mqtt5.clear();
    }

    private static final class Entry {
        private @Nullable Message message;
        private @Nullable PublishTemplate template;
        private boolean hasReceiver;
        private @Nullable ByteBuf payload;

        private void clear() {
            message = null;
            template = null;
            hasReceiver = false;
            if (payload != null) {
                payload.release();
                payload = null;
            }
        }
    }
}
