package io.tributary.cluster.kafka.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cluster.kafka.app.TopicNames.Named;
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
        assertThat(TopicNames.of(PREFIX, new Named(null, identifier))).isEqualTo(PREFIX + escaped);
        assertThat(TopicNames.named(PREFIX, PREFIX + escaped)).isEqualTo(new Named(null, identifier));
    }

    @ParameterizedTest
    @CsvSource({"acme, line.4, acme_-line_2e4", "ä, g/a/#, _c3_a4_-g_2fa_2f_23", "a_b, c, a_5fb_-c"})
    void tenantIsBeforeTheIdentifierWhenThereIsOne(String tenant, String identifier, String escaped) {
        Named named = new Named(tenant, identifier);
        assertThat(TopicNames.of(PREFIX, named)).isEqualTo(PREFIX + escaped);
        assertThat(TopicNames.named(PREFIX, PREFIX + escaped)).isEqualTo(named);
    }

    @Test
    void nameIsAnotherWhenTheTenantIsAndBothAreLong() {
        String identifier = "x".repeat(300);
        String name = TopicNames.of(PREFIX, new Named("acme", identifier));
        assertThat(name).hasSize(249).startsWith(PREFIX + "acme_-x");
        assertThat(TopicNames.named(PREFIX, name)).isNull();
        assertThat(name.substring(215))
                .isNotEqualTo(TopicNames.of(PREFIX, new Named(null, identifier)).substring(215));
    }

    @Test
    void identifierIsReadBackWhenTheNameIsAsLongAsItMayBe() {
        String identifier = "x".repeat(249 - PREFIX.length());
        String name = TopicNames.of(PREFIX, new Named(null, identifier));
        assertThat(name).hasSize(249).doesNotContain("__");
        assertThat(TopicNames.named(PREFIX, name)).isEqualTo(new Named(null, identifier));
    }

    @Test
    void nameHasADigestAndIsNotReadBackWhenTheIdentifierIsLong() {
        String identifier = "x".repeat(250 - PREFIX.length());
        String name = TopicNames.of(PREFIX, new Named(null, identifier));
        assertThat(name).hasSize(249).matches(".*x__[0-9a-f]{32}");
        assertThat(TopicNames.named(PREFIX, name)).isNull();
        assertThat(TopicNames.of(PREFIX, new Named(null, identifier + "y"))).isNotEqualTo(name);
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
                "other.app.a",
                "tributary.app._-a",
                "tributary.app.a_2fb_-c",
                "tributary.app.a_-b_-c"
            })
    void nothingIsReadWhenTheNameIsNotOurs(String name) {
        assertThat(TopicNames.named(PREFIX, name)).isNull();
    }
}
