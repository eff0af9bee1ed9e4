package io.tributary.common.topic;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TopicLevelsTest {

    @Test
    void keepsEmptyLevelsWhenSeparatorsAdjoin() { // [MQTT-4.7.1-3]
        assertThat(TopicLevels.split("/")).containsExactly("", "");
        assertThat(TopicLevels.split("a//b/")).containsExactly("a", "", "b", "");
    }

    @Test
    void givesOneLevelWhenThereIsNoSeparator() {
        assertThat(TopicLevels.split("sensors")).containsExactly("sensors");
        assertThat(TopicLevels.split("")).containsExactly("");
    }

    @Test
    void countsAsManyLevelsAsItSplits() {
        for (String topic : new String[] {"", "/", "a", "a/b", "//", "a/b/c/", "/finance"}) {
            assertThat(TopicLevels.count(topic)).as(topic).isEqualTo(TopicLevels.split(topic).length);
        }
    }

    @Test
    void findsEndOfLevelWhenItIsTheLast() {
        assertThat(TopicLevels.levelEnd("ab/cd", 0)).isEqualTo(2);
        assertThat(TopicLevels.levelEnd("ab/cd", 3)).isEqualTo(5);
    }
}
