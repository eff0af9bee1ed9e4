package io.tributary.common.codec;

import org.jspecify.annotations.Nullable;

/** The properties of MQTT 5 (section 2.2.2.2) with their wire types and the values they may have. */
enum Property {
    PAYLOAD_FORMAT(0x01, Kind.BYTE, 0, 1),
    MESSAGE_EXPIRY(0x02, Kind.FOUR_BYTES),
    CONTENT_TYPE(0x03, Kind.TEXT),
    RESPONSE_TOPIC(0x08, Kind.TEXT),
    CORRELATION_DATA(0x09, Kind.BINARY),
    SUBSCRIPTION_ID(0x0B, Kind.VARINT, 1, Varint.MAX),
    SESSION_EXPIRY(0x11, Kind.FOUR_BYTES),
    ASSIGNED_CLIENT_ID(0x12, Kind.TEXT),
    SERVER_KEEP_ALIVE(0x13, Kind.TWO_BYTES),
    AUTHENTICATION_METHOD(0x15, Kind.TEXT),
    AUTHENTICATION_DATA(0x16, Kind.BINARY),
    REQUEST_PROBLEM_INFORMATION(0x17, Kind.BYTE, 0, 1),
    WILL_DELAY(0x18, Kind.FOUR_BYTES),
    REQUEST_RESPONSE_INFORMATION(0x19, Kind.BYTE, 0, 1),
    RESPONSE_INFORMATION(0x1A, Kind.TEXT),
    SERVER_REFERENCE(0x1C, Kind.TEXT),
    REASON_STRING(0x1F, Kind.TEXT),
    RECEIVE_MAXIMUM(0x21, Kind.TWO_BYTES, 1, 0xFFFF),
    TOPIC_ALIAS_MAXIMUM(0x22, Kind.TWO_BYTES),
    TOPIC_ALIAS(0x23, Kind.TWO_BYTES, 1, 0xFFFF),
    MAXIMUM_QOS(0x24, Kind.BYTE, 0, 1),
    RETAIN_AVAILABLE(0x25, Kind.BYTE, 0, 1),
    USER_PROPERTY(0x26, Kind.PAIR),
    MAXIMUM_PACKET_SIZE(0x27, Kind.FOUR_BYTES, 1, 0xFFFF_FFFFL),
    WILDCARD_SUBSCRIPTION_AVAILABLE(0x28, Kind.BYTE, 0, 1),
    SUBSCRIPTION_IDS_AVAILABLE(0x29, Kind.BYTE, 0, 1),
    SHARED_SUBSCRIPTION_AVAILABLE(0x2A, Kind.BYTE, 0, 1);

    /** How the value of a property looks on the wire. */
    enum Kind {
        BYTE,
        TWO_BYTES,
        FOUR_BYTES,
        VARINT,
        TEXT,
        BINARY,
        PAIR
    }

    /** Every property's number on the wire is less than this. */
    static final int ID_LIMIT = 0x2B;

    private static final @Nullable Property[] BY_ID = new @Nullable Property[ID_LIMIT];

    static {
        for (Property property : values()) {
            BY_ID[property.id] = property;
        }
    }

    private final int id;
    private final Kind kind;
    private final long min;
    private final long max;

    Property(int id, Kind kind) {
        this(id, kind, 0, 0xFFFF_FFFFL);
    }

    Property(int id, Kind kind, long min, long max) {
        this.id = id;
        this.kind = kind;
        this.min = min;
        this.max = max;
    }

    /** The number on the wire, always of one byte. */
    int id() {
        return id;
    }

    /** The wire type of the value. */
    Kind kind() {
        return kind;
    }

    /** Whether MQTT allows that number as the value. */
    boolean accepts(long number) {
        return number >= min && number <= max;
    }

    /** The bit that stands for this property in a set. */
    long bit() {
        return 1L << id;
    }

    /** The property with the given number, or null when MQTT knows none. */
    static @Nullable Property of(int id) {
        return id < BY_ID.length ? BY_ID[id] : null;
    }

    /** A set of properties, as the sum of their bits. */
    static long setOf(Property... properties) {
        long set = 0;
        for (Property property : properties) {
            set |= property.bit();
        }
        return set;
    }
}
