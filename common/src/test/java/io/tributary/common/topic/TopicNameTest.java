package io.tributary.common.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.ReasonCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TopicNameTest {

    @ParameterizedTest
    @ValueSource(strings = {"a", "/", "a/b", "$SYS/x", "with space", "\u4e2d/\ud83d\ude00", "\ufeffbom", "a//b"})
    void acceptsTopicWhenItIsValid(String topic) {
        assertThat(TopicName.isValid(topic, TopicLimits.MQTT)).isTrue();
    }

    // [MQTT-4.7.3-1], [MQTT-3.3.2-2], [MQTT-4.7.3-2]
    @ParameterizedTest
    @ValueSource(strings = {"", "#", "+", "a/#", "a/+/b", "a+", "a#b", "a\0b"})
    void refusesTopicWhenItIsEmptyOrHasWildcardOrNull(String topic) {
        assertThatThrownBy(() -> TopicName.check(topic, TopicLimits.MQTT))
                .isInstanceOfSatisfying(
                        MqttException.class, e -> assertThat(e.reason()).isEqualTo(ReasonCode.TOPIC_NAME_INVALID));
    }

    @Test
    void countsBytesNotCharactersWhenTopicIsLong() { // [MQTT-4.7.3-3]
        TopicLimits sixBytes = new TopicLimits(6, 10);
        assertThat(TopicName.isValid("abcdef", sixBytes)).isTrue();
        assertThat(TopicName.isValid("abcdefg", sixBytes)).isFalse();
        assertThat(TopicName.isValid("\u00e4\u00e4\u00e4", sixBytes)).isTrue();
        assertThat(TopicName.isValid("\u00e4\u00e4\u00e4\u00e4", sixBytes)).isFalse();
        assertThat(TopicName.isValid("\u4e2d\u4e2d", sixBytes)).isTrue();
        assertThat(TopicName.isValid("\u4e2d\u4e2da", sixBytes)).isFalse();
        assertThat(TopicName.isValid("\ud83d\ude00ab", sixBytes)).isTrue();
        assertThat(TopicName.isValid("\ud83d\ude00abc", sixBytes)).isFalse();
    }

    @Test
    void refusesTopicWhenItHasTooManyLevels() {
        TopicLimits threeLevels = new TopicLimits(100, 3);
        assertThat(TopicName.isValid("a/b/c", threeLevels)).isTrue();
        assertThat(TopicName.isValid("a/b/c/", threeLevels)).isFalse();
        assertThat(TopicName.isValid("///", threeLevels)).isFalse();
    }

    @Test
    void isReservedWhenItStartsWithDollar() { // [MQTT-4.7.2-1]
        assertThat(TopicName.isReserved(TopicName.SYS_PREFIX + "uptime")).isTrue();
        assertThat(TopicName.isReserved("$anything")).isTrue();
        assertThat(TopicName.isReserved("a/$SYS")).isFalse();
    }

    @Test
    void refusesLimitsWhenTheyMakeNoSense() {
        assertThatThrownBy(() -> new TopicLimits(0, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new TopicLimits(65_536, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new TopicLimits(1, 0)).isInstanceOf(IllegalArgumentException.class);
    }
}
