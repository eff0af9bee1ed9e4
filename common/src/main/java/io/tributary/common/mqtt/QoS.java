package io.tributary.common.mqtt;

/** The quality of service of a message or a subscription. */
public enum QoS {
    /** At most once: QoS 0. */
    AT_MOST_ONCE(0),
    /** At least once: QoS 1. */
    AT_LEAST_ONCE(1),
    /** Exactly once: QoS 2. */
    EXACTLY_ONCE(2);

    private static final QoS[] BY_CODE = values();

    private final int code;

    QoS(int code) {
        this.code = code;
    }

    /** The number on the wire, 0 to 2. */
    public int code() {
        return code;
    }

    /** Whether messages of this quality are acknowledged, carry a packet identifier and survive in a queue. */
    public boolean isAcknowledged() {
        return this != AT_MOST_ONCE;
    }

    /** The lower of the two: what a subscriber gets of a message [MQTT-3.8.4-8]. */
    public QoS min(QoS other) {
        return compareTo(other) <= 0 ? this : other;
    }

    /** The higher of the two: what overlapping subscriptions grant [MQTT-3.3.4-2]. */
    public QoS max(QoS other) {
        return compareTo(other) >= 0 ? this : other;
    }

    /**
     * The quality of service with the given number.
     *
     * @throws IllegalArgumentException unless the code is 0, 1 or 2
     */
    public static QoS of(int code) {
        if (code < 0 || code >= BY_CODE.length) {
            throw new IllegalArgumentException("QoS " + code + ": must be 0, 1 or 2");
        }
        return BY_CODE[code];
    }
}
