package io.tributary.server.blackbox.foreign;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A message in words that every client library can be given.
 *
 * @param properties of MQTT 5
 */
@SuppressWarnings("ArrayRecordComponent") // compared by text
record Note(String topic, byte[] payload, int qos, boolean retain, Properties properties) {

    /**
     * What MQTT 5 can say about a message.
     *
     * @param user one value a name, in their order
     * @param expirySeconds the message expiry interval, or null
     */
    record Properties(
            Map<String, String> user,
            @Nullable String contentType,
            @Nullable String responseTopic,
            @Nullable String correlation,
            @Nullable Long expirySeconds) {
        static final Properties NONE = new Properties(Map.of(), null, null, null, null);
    }

    static Note of(String topic, String text, int qos) {
        return new Note(topic, text.getBytes(UTF_8), qos, false, Properties.NONE);
    }

    Note retained() {
        return new Note(topic, payload, qos, true, properties);
    }

    Note with(Properties newProperties) {
        return new Note(topic, payload, qos, retain, newProperties);
    }

    String text() {
        return new String(payload, UTF_8);
    }

    @Override
    public String toString() {
        String text = payload.length > 100 ? payload.length + " bytes" : text();
        return topic + "=" + text + " qos=" + qos + (retain ? " retained" : "");
    }
}
