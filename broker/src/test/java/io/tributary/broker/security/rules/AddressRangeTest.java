package io.tributary.broker.security.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.InetAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressRangeTest {

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8, 10.255.255.255, true",
        "10.0.0.0/8, 11.0.0.0, false",
        "0.0.0.0/0, 200.1.2.3, true",
        "0.0.0.0/0, ::1, false",
        "128.0.0.0/1, 200.1.2.3, true",
        "128.0.0.0/1, 127.0.0.1, false",
        "192.168.1.7, 192.168.1.7, true",
        "192.168.1.7, 192.168.1.6, false",
        "192.168.1.6/31, 192.168.1.7, true",
        "10.0.0.0/8, ::ffff:10.1.2.3, true",
        "::ffff:10.1.2.3, 10.1.2.3, true",
        "2001:db8::/32, 2001:db8:ffff::1, true",
        "2001:db8::/32, 2001:db9::, false",
        "2001:db8:0:0:8000::/65, 2001:db8::8000:0:0:1, true",
        "2001:db8:0:0:8000::/65, 2001:db8::1, false",
        "fe80::/10, fe80::1%1, true",
        "::1, ::1, true",
        "::/0, 2001:db8::1, true",
        "::/0, 1.2.3.4, false"
    })
    void containsAddressWhenPrefixIsTheSame(String range, String address, boolean contains) {
        assertThat(AddressRange.parse(range).contains(InetAddress.ofLiteral(address)))
                .isEqualTo(contains);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "localhost",
                "10",
                "10/8",
                "10.0/8",
                "1.2.3.256",
                "10.0.0.0/33",
                "10.0.0.0/-1",
                "10.0.0.0/",
                "10.0.0.0/8/8",
                "::/129",
                ":",
                "g::1",
                "fe80::1%eth0",
                "10.0.0.0 /8",
                "/8",
                "example.org/24",
                "[::1]"
            })
    void textIsRefusedWhenItIsNoRange(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> AddressRange.parse(text))
                .withMessage(
                        "'" + text + "' is not an IP address or a range of them, such as 10.0.0.0/8 or 2001:db8::/32");
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.1/8", "0.0.0.1/0", "2001:db8::1/64", "::1/0"})
    void rangeIsRefusedWhenItHasBitsBehindItsPrefix(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> AddressRange.parse(text))
                .withMessageContaining("has bits behind its prefix");
    }
}
