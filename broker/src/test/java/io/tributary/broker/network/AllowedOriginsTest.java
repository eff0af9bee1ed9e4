package io.tributary.broker.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.common.setting.InvalidSettingException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AllowedOriginsTest {

    @ParameterizedTest
    @CsvSource({
        "https://app.example.com, https://app.example.com, true",
        "https://app.example.com, HTTPS://App.Example.COM, true",
        "https://app.example.com, https://app.example.com:443, true",
        "https://app.example.com, https://app.example.com:8443, false",
        "https://app.example.com, http://app.example.com, false",
        "https://app.example.com, https://app.example.com.evil.example, false",
        "https://app.example.com, https://xapp.example.com, false",
        "https://app.example.com, https://evil.example/https://app.example.com, false",
        "https://app.example.com, null, false",
        "http://localhost:8080, http://localhost:8080, true",
        "http://localhost:8080, http://localhost, false",
        "http://localhost:*, http://localhost:1, true",
        "https://*.example.com, https://a.example.com, true",
        "https://*.example.com, https://a.b.example.com, false",
        "https://*.example.com, https://example.com, false",
        "https://*.example.com, https://.example.com, false",
        "https://*.example.com, https://evil.example, false",
        "'*', https://anywhere.example, true",
        "'*', null, true"
    })
    void allowsPageWhenItsPlaceIsNamed(String allowed, String origin, boolean allows) {
        assertThat(AllowedOrigins.of(List.of("https://other.example", allowed)).allow(origin))
                .isEqualTo(allows);
    }

    @Test
    void allowsNoneWhenOriginIsTooLong() {
        String most = "https://" + "a".repeat(AllowedOrigins.LONGEST - "https://".length());
        assertThat(AllowedOrigins.of(List.of("*")).allow(most)).isTrue();
        assertThat(AllowedOrigins.of(List.of("*")).allow(most + "a")).isFalse();
        assertThat(AllowedOrigins.of(List.of()).allow("https://app.example.com"))
                .isFalse();
    }

    @Test
    void onlyPagesOfThisMachineAreAllowedWhereOnlyThisMachineReachesTheListener() {
        ListenerConfig.Builder listener = ListenerConfig.builder("ws", 0);
        assertThat(AllowedOrigins.of(listener.build()).allow("https://app.example.com"))
                .isFalse();
        assertThat(AllowedOrigins.of(listener.build()).allow("http://localhost:3000"))
                .isTrue();
        assertThat(AllowedOrigins.of(listener.host("0.0.0.0").build()).allow("https://app.example.com"))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "app.example.com",
                "https://",
                "https://app.example.com/",
                "https://app.example.com/page",
                "https://*",
                "https://a.*.example.com",
                "https://user@app.example.com",
                "https://app.example.com:x"
            })
    void placeIsRefusedWhenNoPageCouldBeThere(String text) {
        assertThatThrownBy(() -> AllowedOrigins.of(List.of(text)))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessage("allowed-origins: '" + text
                        + "' is not where a page is, such as https://app.example.com, https://*.example.com or"
                        + " http://localhost:8080; * alone is all");
    }
}
