package io.tributary.common.mqtt;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The MQTT 5 properties of a message that go from the publisher to every subscriber unaltered [MQTT-3.3.2-15,
 * MQTT-3.3.2-16, MQTT-3.3.2-17, MQTT-3.3.2-20]. What changes on the way (expiry, alias, subscription identifiers) is
 * not here. The array is not copied: its creator must not write to it afterwards.
 */
@SuppressWarnings("ArrayRecordComponent") // compared by content below; copying each would cost on the hot path
public record PublishProperties(
        @Nullable PayloadFormat payloadFormat,
        @Nullable String contentType,
        @Nullable String responseTopic,
        byte @Nullable [] correlationData,
        List<UserProperty> userProperties) {

    // What objects take in the heap besides what they say: this and a list, text and its array, a user property of two.
    private static final int RECORD_BYTES = 60;
    private static final int TEXT_BYTES = 40;

    /** No properties at all, which is what every MQTT 3 message has. */
    public static final PublishProperties NONE = new PublishProperties(null, null, null, null, List.of());

    /** Copies the list. */
    // Not in compact form: there javac drops "byte @Nullable []", and other modules could not pass null.
    public PublishProperties(
            @Nullable PayloadFormat payloadFormat,
            @Nullable String contentType,
            @Nullable String responseTopic,
            byte @Nullable [] correlationData,
            List<UserProperty> userProperties) {
        this.payloadFormat = payloadFormat;
        this.contentType = contentType;
        this.responseTopic = responseTopic;
        this.correlationData = correlationData;
        this.userProperties = List.copyOf(userProperties);
    }

    /** About how many bytes they take, as {@link Message#sizeBytes} counts. */
    int sizeBytes() {
        int size = (contentType == null ? 0 : contentType.length())
                + (responseTopic == null ? 0 : responseTopic.length())
                + (correlationData == null ? 0 : correlationData.length);
        for (UserProperty property : userProperties) {
            size += property.name().length() + property.value().length() + 4;
        }
        return size;
    }

    /** About how many more bytes they take in the heap, where they are many objects. */
    long objectsBytes() {
        int texts = (contentType == null ? 0 : 1) + (responseTopic == null ? 0 : 1) + (correlationData == null ? 0 : 1);
        if (texts == 0 && userProperties.isEmpty()) {
            return 0;
        }
        return RECORD_BYTES + texts * TEXT_BYTES + (long) UserProperty.OBJECTS_BYTES * userProperties.size();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other == this // most are NONE
                || (other instanceof PublishProperties that
                        && payloadFormat == that.payloadFormat
                        && Objects.equals(contentType, that.contentType)
                        && Objects.equals(responseTopic, that.responseTopic)
                        && Arrays.equals(correlationData, that.correlationData)
                        && userProperties.equals(that.userProperties));
    }

    @Override
    public int hashCode() {
        return Objects.hash(
                payloadFormat, contentType, responseTopic, Arrays.hashCode(correlationData), userProperties);
    }
}
