package io.tributary.common.mqtt;

/** The MQTT 5 payload format indicator; a packet that has none is treated as {@link #UNSPECIFIED}. */
public enum PayloadFormat {
    /** Unspecified bytes, 0 on the wire. */
    UNSPECIFIED,
    /** UTF-8 text, 1 on the wire. */
    UTF_8
}
