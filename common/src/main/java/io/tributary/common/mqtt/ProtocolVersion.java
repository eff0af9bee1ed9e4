package io.tributary.common.mqtt;

/** The versions of MQTT that the broker speaks, by the name and level that CONNECT carries. */
public enum ProtocolVersion {
    /** MQTT 3.1, protocol name {@code MQIsdp}. */
    MQTT_3_1("MQIsdp", 3),
    /** MQTT 3.1.1. */
    MQTT_3_1_1("MQTT", 4),
    /** MQTT 5.0. */
    MQTT_5("MQTT", 5);

    private final String protocolName;
    private final int level;

    ProtocolVersion(String protocolName, int level) {
        this.protocolName = protocolName;
        this.level = level;
    }

    /** The protocol name in CONNECT. */
    public String protocolName() {
        return protocolName;
    }

    /** The protocol level byte in CONNECT. */
    public int level() {
        return level;
    }

    /** Whether packets have properties and acknowledgements have reason codes. */
    public boolean isMqtt5() {
        return this == MQTT_5;
    }
}
