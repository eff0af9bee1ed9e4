package io.tributary.persistence.ingest;

/**
 * The names of the headers with which a record says of its message what key and value do not, from either producer: a
 * back-end, or the broker for an application.
 */
public final class HeaderNames {
    /** The QoS. */
    public static final String QOS = "mqtt.qos";

    /** Whether the message is retained. */
    public static final String RETAIN = "mqtt.retain";

    /** Who published it; the broker's own word. */
    public static final String PUBLISHER = "mqtt.publisher";

    /** The tenant to whose clients it is published. */
    public static final String TENANT = "mqtt.tenant";

    /** When the broker wrote it, in milliseconds since the epoch; its own word. */
    public static final String TIME = "mqtt.time";

    /** When it expires, in milliseconds since the epoch. */
    public static final String EXPIRES = "mqtt.expires";

    /** Whether the payload is text. */
    public static final String PAYLOAD_FORMAT = "mqtt.payload-format";

    /** What the payload is. */
    public static final String CONTENT_TYPE = "mqtt.content-type";

    /** The topic for an answer. */
    public static final String RESPONSE_TOPIC = "mqtt.response-topic";

    /** What an answer is recognised by, in bytes. */
    public static final String CORRELATION_DATA = "mqtt.correlation-data";

    /** How the broker delivers it; its own bytes. */
    public static final String ROUTING = "tributary";

    /**
     * Is there when the message came by ingest, and only then: programs that copy records look for a header of this
     * name, wherever it is, and leave out the record. So no user property has it, see {@link #ofUserProperty}.
     */
    public static final String INGESTED = "mqtt.ingested";

    /** The header of a user property that has the name of {@link #INGESTED}; MQTT has no NUL [MQTT-1.5.4-2]. */
    private static final String NOT_INGESTED = INGESTED + '\0';

    private HeaderNames() {}

    /** The header that the broker writes for a user property: its own name, but for one. */
    public static String ofUserProperty(String name) {
        return name.equals(INGESTED) ? NOT_INGESTED : name;
    }

    /** The user property of a header that the broker wrote. */
    public static String userPropertyOf(String header) {
        return header.equals(NOT_INGESTED) ? INGESTED : header;
    }
}
