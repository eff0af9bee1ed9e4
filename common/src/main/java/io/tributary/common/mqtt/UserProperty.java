package io.tributary.common.mqtt;

/** One MQTT 5 user property; names may repeat and their order is kept [MQTT-3.3.2-18]. */
public record UserProperty(String name, String value) {

    /** About what the objects of one take in the heap besides its text. */
    static final int OBJECTS_BYTES = 120;

    /** About how many bytes it takes in the heap. */
    public int memoryBytes() {
        return OBJECTS_BYTES + name.length() + value.length();
    }
}
