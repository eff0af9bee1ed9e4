package io.tributary.broker.network;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.tributary.broker.network.ProxyHeader.Malformed;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Headers of the PROXY protocol that a fuzzer writes: taken or refused, however they are cut. */
class ProxyHeaderFuzzTest {

    @FuzzTest(maxDuration = "30s")
    void takesOrRefusesWhateverComesHoweverItIsCut(byte[] data) {
        check(data);
    }

    /** What the fuzzer might not find soon. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "50524f585920544350342031302e312e322e332031302e392e382e3720353132333420313838330d0a",
                "50524f585920554e4b4e4f574e0d0a",
                "0d0a0d0a000d0a515549540a2000000010",
                "0d0a0d0a000d0a515549540a2111000c0a0102030a090807c822075b",
                "0d0a0d0a000d0a515549540a2111001b0a0102030a090807c822075b20000c07000000002200047075",
                "0d0a0d0a000d0a515549540a211100130a0102030a090807c822075b03000400000000"
            })
    void takesOrRefusesKnownHeaders(String hex) {
        check(HexFormat.of().parseHex(hex));
    }

    @Test
    void takesOrRefusesSignaturesAlone() {
        check(new byte[0]);
        check("PROXY ".getBytes(StandardCharsets.US_ASCII));
    }

    private static void check(byte[] data) {
        ByteBuf whole = Unpooled.wrappedBuffer(data);
        String said = read(whole);
        int taken = whole.readerIndex();
        assertThat(taken).isLessThanOrEqualTo(ProxyHeader.MOST_BYTES);
        for (int length = 0; length < data.length; length++) {
            ByteBuf part = Unpooled.wrappedBuffer(data, 0, length);
            String early = read(part);
            if (!early.equals("more")) { // then the rest changes nothing
                assertThat(said.startsWith("no") ? "no" : said).isEqualTo(early.startsWith("no") ? "no" : early);
                return;
            }
            assertThat(part.readerIndex()).isZero();
        }
    }

    private static String read(ByteBuf in) {
        try {
            ProxyHeader header = ProxyHeader.read(in);
            if (header == null) {
                assertThat(in.readableBytes()).isLessThan(ProxyHeader.MOST_BYTES);
                return "more";
            }
            if (header.certificateName() != null) {
                assertThat(header.source()).isNotNull();
                assertThat(header.certificateName()).isNotEmpty();
            }
            return header.toString();
        } catch (Malformed refused) {
            assertThat(refused).hasMessageMatching(".+");
            return "no: " + refused.getMessage();
        }
    }
}
