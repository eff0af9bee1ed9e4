package io.tributary.broker.connection;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.PayloadFormat;
import java.nio.charset.StandardCharsets;

/** Checks payloads against the format that their publisher declared. */
final class Payloads {
    private Payloads() {}

    /** Whether the payload is UTF-8, or does not say that it is. */
    static boolean isAsDeclared(Message message) {
        return message.properties().payloadFormat() != PayloadFormat.UTF_8
                || ByteBufUtil.isText(Unpooled.wrappedBuffer(message.payload()), StandardCharsets.UTF_8);
    }
}
