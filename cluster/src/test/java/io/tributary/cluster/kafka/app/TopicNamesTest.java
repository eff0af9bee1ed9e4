package io.tributary.cluster.kafka.app;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TopicNamesTest {
    private static final String PREFIX = "tributary.app.";

    @ParameterizedTest
    @CsvSource({
        "erp, erp",
        "ERP-2, ERP-2",
        "a.b, a_2eb",
        "a_b, a_5fb",
        "$share/g/a/#, _24share_2fg_2fa_2f_23",
        "ö, _c3_b6",
    })
    void nameHasNothingThatKafkaMistakesWhenEscaped(String identifier, String escaped) {
        assertThat(TopicNames.of(PREFIX, identifier)).isEqualTo(PREFIX + escaped);
        assertThat(TopicNames.identifier(PREFIX, PREFIX + escaped)).isEqualTo(identifier);
    }

    @Test
    void identifierIsReadBackWhenTheNameIsAsLongAsItMayBe() {
        String identifier = "x".repeat(249 - PREFIX.length());
        String name = TopicNames.of(PREFIX, identifier);
        assertThat(name).hasSize(249).doesNotContain("__");
        assertThat(TopicNames.identifier(PREFIX, name)).isEqualTo(identifier);
    }

    @Test
    void nameHasADigestAndIsNotReadBackWhenTheIdentifierIsLong() {
        String identifier = "x".repeat(250 - PREFIX.length());
        String name = TopicNames.of(PREFIX, identifier);
        assertThat(name).hasSize(249).matches(".*x__[0-9a-f]{32}");
        assertThat(TopicNames.identifier(PREFIX, name)).isNull();
        assertThat(TopicNames.of(PREFIX, identifier + "y")).isNotEqualTo(name);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "tributary.apps",
                "tributary.app.a_",
                "tributary.app.a_2",
                "tributary.app.a_2E",
                "tributary.app.a_61",
                "tributary.app.a.b",
                "tributary.app.a__61",
                "tributary.app.a_ff",
                "other.app.a"
            })
    void nothingIsReadWhenTheNameIsNotOurs(String name) {
        assertThat(TopicNames.identifier(PREFIX, name)).isNull();
    }
}
