package io.tributary.broker.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.tributary.broker.network.ProxyHeader.Malformed;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProxyHeaderTest {
    private static final String SIGNATURE = "0d0a0d0a000d0a515549540a";

    /** 10.1.2.3:51234 to 10.9.8.7:1883. */
    private static final String ADDRESSES_4 = "0a010203" + "0a090807" + "c822" + "075b";

    private static final String CN_OF_PUMP = "220004" + hex("pump");

    @ParameterizedTest
    @CsvSource({
        "PROXY TCP4 10.1.2.3 10.9.8.7 51234 1883, 10.1.2.3, 51234",
        "PROXY TCP6 2001:db8::1 ::1 0 65535, 2001:db8::1, 0",
        "PROXY TCP6 ::ffff:10.1.2.3 ::1 1 1, 10.1.2.3, 1"
    })
    void takesAddressOfText(String line, String address, int port) throws Malformed {
        assertThat(read(text(line + "\r\nrest")).source()).isEqualTo(address(address, port));
    }

    @ParameterizedTest
    @ValueSource(strings = {"PROXY UNKNOWN", "PROXY UNKNOWN ffff::1 whatever it says"})
    void keepsAddressWhenTextSaysUnknown(String line) throws Malformed {
        assertThat(read(text(line + "\r\n"))).isEqualTo(ProxyHeader.LOCAL);
    }

    @Test
    void takesAddressOfBinary() throws Malformed {
        assertThat(read(binary("21", "11", ADDRESSES_4)).source()).isEqualTo(address("10.1.2.3", 51_234));
        String six = "20010db8000000000000000000000001" + "00".repeat(16) + "c822" + "075b";
        assertThat(read(binary("21", "21", six)).source()).isEqualTo(address("2001:db8::1", 51_234));
    }

    @Test
    void keepsAddressWhenBinarySaysLocalOrNothing() throws Malformed {
        assertThat(read(binary("20", "00", ""))).isEqualTo(ProxyHeader.LOCAL);
        assertThat(read(binary("20", "11", ADDRESSES_4)))
                .as("whatever comes with it")
                .isEqualTo(ProxyHeader.LOCAL);
        assertThat(read(binary("20", "ff", "ffffff")))
                .as("whatever comes with it")
                .isEqualTo(ProxyHeader.LOCAL);
        assertThat(read(binary("21", "00", "ffffff"))).isEqualTo(ProxyHeader.LOCAL);
        assertThat(read(binary("21", "31", "00".repeat(216)))).isEqualTo(ProxyHeader.LOCAL);
    }

    @Test
    void takesNothingUntilAllIsThere() throws Malformed {
        for (byte[] whole : new byte[][] {
            text("PROXY TCP4 10.1.2.3 10.9.8.7 51234 1883\r\n"), binary("21", "11", ADDRESSES_4), binary("20", "00", "")
        }) {
            for (int length = 0; length < whole.length; length++) {
                ByteBuf part = Unpooled.wrappedBuffer(whole, 0, length);
                assertThat(ProxyHeader.read(part)).isNull();
                assertThat(part.readableBytes()).isEqualTo(length);
            }
        }
    }

    @Test
    void leavesWhatComesBehind() throws Malformed {
        ByteBuf in = Unpooled.wrappedBuffer(binary("21", "11", ADDRESSES_4), new byte[] {0x10, 7});
        assertThat(ProxyHeader.read(in)).isNotNull();
        assertThat(ByteBufUtil.getBytes(in)).containsExactly(0x10, 7);
    }

    @Test
    void takesNameOnlyOfVerifiedCertificate() throws Malformed {
        assertThat(name("07", "00000000")).as("of this connection").isEqualTo("pump");
        assertThat(name("05", "00000000")).as("of an earlier one, resumed").isEqualTo("pump");
        assertThat(name("07", "00000001")).as("not verified").isNull();
        assertThat(name("01", "00000000")).as("none shown").isNull();
        assertThat(name("06", "00000000")).as("not over TLS").isNull();
        assertThat(read(binary("21", "11", ADDRESSES_4 + CN_OF_PUMP)).certificateName())
                .as("not within the value of TLS")
                .isNull();
        assertThat(read(binary("21", "11", ADDRESSES_4 + tlv("20", "0700000000")))
                        .certificateName())
                .isNull();
    }

    @Test
    void checksTheSumWhenThereIsOne() throws Malformed {
        byte[] header = binary("21", "11", ADDRESSES_4 + tlv("03", "00000000") + tlv("04", "aa"));
        CRC32C sum = new CRC32C();
        sum.update(header);
        int at = header.length - 4 - 4;
        Unpooled.wrappedBuffer(header).setInt(at, (int) sum.getValue());
        assertThat(read(header).source()).isEqualTo(address("10.1.2.3", 51_234));

        header[at] ^= 1;
        assertThatThrownBy(() -> read(header)).isInstanceOf(Malformed.class).hasMessage("the checksum is wrong");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\n",
                "PRAXY",
                "PROXY\r\n",
                "PROXY \r\n",
                "PROXY TCP4\r\n",
                "PROXY TCP4 10.1.2.3 10.9.8.7 51234\r\n",
                "PROXY TCP4 10.1.2.3 10.9.8.7 51234 1883 1\r\n",
                "PROXY TCP4  10.1.2.3 10.9.8.7 51234 1883\r\n",
                "PROXY TCP4 10.1.2.256 10.9.8.7 51234 1883\r\n",
                "PROXY TCP4 10.1.2.3 10.9.8 51234 1883\r\n",
                "PROXY TCP4 localhost 10.9.8.7 51234 1883\r\n",
                "PROXY TCP4 ::1 ::1 51234 1883\r\n",
                "PROXY TCP6 10.1.2.3 10.9.8.7 51234 1883\r\n",
                "PROXY TCP6 fe80::1%eth0 ::1 51234 1883\r\n",
                "PROXY TCP4 10.1.2.3 10.9.8.7 65536 1883\r\n",
                "PROXY TCP4 10.1.2.3 10.9.8.7 51234 -1\r\n",
                "PROXY UDP4 10.1.2.3 10.9.8.7 51234 1883\r\n",
                "PROXY UNKNOWN\n",
                "\020\r\0\4MQTT"
            })
    void refusesTextThatIsNoHeader(String text) {
        assertThatThrownBy(() -> read(text(text))).isInstanceOf(Malformed.class);
    }

    @Test
    void refusesTextThatDoesNotEnd() throws Malformed {
        byte[] line = text("PROXY UNKNOWN " + "x".repeat(200));
        assertThat(ProxyHeader.read(Unpooled.wrappedBuffer(line, 0, 106))).isNull();
        assertThatThrownBy(() -> ProxyHeader.read(Unpooled.wrappedBuffer(line, 0, 107)))
                .isInstanceOf(Malformed.class);
    }

    @Test
    void refusesBinaryThatIsNoHeader() {
        assertMalformed(HexFormat.of().parseHex(SIGNATURE + "31"));
        assertMalformed(HexFormat.of().parseHex(SIGNATURE + "22"));
        assertMalformed(HexFormat.of().parseHex(SIGNATURE + "ff"));
        assertMalformed(HexFormat.of().parseHex("0d0a0d0b"));
        assertMalformed(binary("21", "12", ADDRESSES_4));
        assertMalformed(binary("21", "11", ADDRESSES_4.substring(2)));
        assertMalformed(binary("21", "21", ADDRESSES_4));
        assertMalformed(binary("21", "11", ADDRESSES_4 + "2000"));
        assertMalformed(binary("21", "11", ADDRESSES_4 + "20000501"));
        assertMalformed(binary("21", "11", ADDRESSES_4 + tlv("20", "01")));
        assertMalformed(binary("21", "11", ADDRESSES_4 + tlv("20", "0700000000" + "220009" + hex("pump"))));
        assertMalformed(binary("21", "11", ADDRESSES_4 + tlv("20", "0700000000" + tlv("22", "c328"))));
        assertMalformed(binary("21", "11", ADDRESSES_4 + tlv("20", "0700000000" + tlv("22", hex("a\u0000b")))));
        assertMalformed(binary("21", "11", ADDRESSES_4 + tlv("03", "00")));
    }

    @Test
    void refusesHeaderOfMoreThanFourKilobytesBeforeItComes() throws Malformed {
        assertThat(ProxyHeader.read(Unpooled.wrappedBuffer(HexFormat.of().parseHex(SIGNATURE + "2111" + "0ff0"))))
                .isNull();
        assertThatThrownBy(() ->
                        ProxyHeader.read(Unpooled.wrappedBuffer(HexFormat.of().parseHex(SIGNATURE + "2111" + "0ff1"))))
                .isInstanceOfSatisfying(
                        Malformed.class, why -> assertThat(why.isTooLarge()).isTrue());
    }

    private static @Nullable String name(String client, String verify) throws Malformed {
        return read(binary(
                        "21", "11", ADDRESSES_4 + tlv("20", client + verify + tlv("21", hex("TLSv1.3")) + CN_OF_PUMP)))
                .certificateName();
    }

    private static void assertMalformed(byte[] header) {
        assertThatThrownBy(() -> read(header))
                .isInstanceOfSatisfying(
                        Malformed.class, why -> assertThat(why.isTooLarge()).isFalse());
    }

    private static ProxyHeader read(byte[] bytes) throws Malformed {
        ProxyHeader header = ProxyHeader.read(Unpooled.wrappedBuffer(bytes));
        return Objects.requireNonNull(header);
    }

    private static InetSocketAddress address(String text, int port) {
        return new InetSocketAddress(InetAddress.ofLiteral(text), port);
    }

    private static byte[] text(String line) {
        return line.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static byte[] binary(String command, String family, String rest) {
        String length = HexFormat.of().toHexDigits((short) (rest.length() / 2));
        return HexFormat.of().parseHex(SIGNATURE + command + family + length + rest);
    }

    private static String tlv(String type, String value) {
        return type + HexFormat.of().toHexDigits((short) (value.length() / 2)) + value;
    }

    private static String hex(String text) {
        return HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8));
    }
}
