package io.tributary.common.mqtt;

/** One MQTT 5 user property; names may repeat and their order is kept [MQTT-3.3.2-18]. */
public record UserProperty(String name, String value) {}
