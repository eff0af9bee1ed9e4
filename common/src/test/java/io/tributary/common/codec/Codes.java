package io.tributary.common.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.ReasonCode;

/** Asserts that decoding fails, and why. */
final class Codes {

    private Codes() {}

    static MqttException assertRefused(MqttDecoder decoder, byte[] data, ReasonCode expected) {
        MqttException thrown = catchThrowableOfType(MqttException.class, () -> Wire.tryDecode(decoder, data));
        assertThat(thrown).as("exception").isNotNull();
        assertThat(thrown.reason()).as(thrown.getMessage()).isEqualTo(expected);
        assertThat(thrown).hasMessageMatching(".{5,}");
        return thrown;
    }
}
