package io.tributary.perf.jmh;

import io.tributary.common.event.Recipient;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.PayloadFormat;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.UserProperty;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Messages and their recipients, as they are in point-to-point traffic. */
public final class Messages {
    /** The topic of all of them. */
    public static final String TOPIC = "europe/ua/kyiv/123456/data";

    /** What an MQTT 5 client that uses properties may send: 90 bytes of them. */
    public static final PublishProperties PROPERTIES = new PublishProperties(
            PayloadFormat.UTF_8,
            "application/json",
            "europe/ua/kyiv/123456/answers",
            new byte[] {1, 2, 3, 4, 5, 6, 7, 8},
            List.of(new UserProperty("trace", "0123456789abcdef")));

    private static final long SEED = 4711;

    private Messages() {}

    /** So many bytes; the same each time. */
    public static byte[] payload(int bytes) {
        byte[] payload = new byte[bytes];
        new Random(SEED).nextBytes(payload);
        return payload;
    }

    /** A message of QoS 1 with a payload of so many bytes and no properties. */
    public static Message message(int payloadBytes) {
        return new Message(
                TOPIC,
                payload(payloadBytes),
                QoS.AT_LEAST_ONCE,
                false,
                PublishProperties.NONE,
                Message.NEVER,
                "publisher-123456");
    }

    /** The client identifier of a device. */
    public static String client(int number) {
        return "device-" + (100_000 + number);
    }

    /** Persistent sessions of devices, numbered from 0; the identity of each is its number and {@code firstSession}. */
    public static List<Recipient> recipients(int count, long firstSession) {
        List<Recipient> recipients = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            recipients.add(new Recipient(client(i), firstSession + i, QoS.AT_LEAST_ONCE, false, List.of(), null));
        }
        return recipients;
    }

    /** Text as bytes. */
    public static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
