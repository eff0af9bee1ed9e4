package io.tributary.broker.sys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.broker.sys.SysStats.Clients;
import io.tributary.broker.sys.SysStats.Flow;
import io.tributary.broker.sys.SysStats.StoredStats;
import io.tributary.broker.sys.SysStats.Subscribed;
import io.tributary.broker.sys.SysStats.Traffic;
import io.tributary.common.event.ByteWriter;
import io.tributary.common.event.UnreadableRecordException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class NodeStatsTest {
    /** Never changed: nodes of other versions send it. */
    private static final String GOLDEN = "010576312e3233" + "15" + "02".repeat(21);

    private static final NodeStats COUNTED = counted("v1.23");

    /** The same with what a node announces, which follows only where there is something. */
    private static final String ANNOUNCED_GOLDEN = "010576312e3233" + "1a" + "02".repeat(26);

    private static final NodeStats ANNOUNCED =
            new NodeStats("v1.23", 1, COUNTED.stats(), 21, new Announced(true, 23, 24, 25, 26));

    @Test
    void bytesStayTheSame() {
        assertThat(HexFormat.of().formatHex(COUNTED.encode())).isEqualTo(GOLDEN);
        assertThat(HexFormat.of().formatHex(ANNOUNCED.encode())).startsWith("010576312e3233" + "1a" + "02".repeat(21));
    }

    @Test
    void decodesWhatWasEncoded() {
        assertThat(NodeStats.decode(HexFormat.of().parseHex(GOLDEN))).isEqualTo(COUNTED);
        assertThat(NodeStats.decode(HexFormat.of().parseHex(ANNOUNCED_GOLDEN))).isEqualTo(ANNOUNCED);
        assertThat(NodeStats.decode(ANNOUNCED.encode())).isEqualTo(ANNOUNCED);
    }

    @Test
    void ignoresWhatALaterVersionSaysBesides() {
        assertThat(NodeStats.decode(encoded(28))).isEqualTo(ANNOUNCED);
    }

    @Test
    void takesWhatAnEarlierVersionDoesNotSayForNothing() {
        NodeStats decoded = NodeStats.decode(encoded(17));
        assertThat(decoded.uptimeSeconds()).isEqualTo(1);
        assertThat(decoded.stats().kept())
                .isEqualTo(new StoredStats(13, new Subscribed(14, 15), new Subscribed(16, 17), 0));
        assertThat(decoded.rules()).isZero();
    }

    @Test
    void isShortWhateverItSays() {
        long most = Long.MAX_VALUE;
        Flow flow = new Flow(0, most);
        Subscribed subscribed = new Subscribed(0, most);
        NodeStats longest = new NodeStats(
                "\u20ac".repeat(100_000),
                most,
                new SysStats(
                        new Clients(0, most, 0, most),
                        new Traffic(most, flow, flow, 0, most, flow),
                        new StoredStats(0, subscribed, subscribed, most)),
                Long.MIN_VALUE,
                new Announced(true, most, Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE));
        assertThat(longest.encode()).hasSizeLessThan(500);
        assertThat(NodeStats.decode(longest.encode()).stats()).isEqualTo(longest.stats());
        assertThat(NodeStats.decode(longest.encode()).rules()).isEqualTo(longest.rules());
        assertThat(NodeStats.decode(longest.encode()).version()).hasSize(64);
    }

    @Test
    void refusesWhatIsSomethingElse() {
        byte[] bytes = COUNTED.encode();
        assertThatThrownBy(() -> NodeStats.decode(Arrays.copyOf(bytes, bytes.length - 1)))
                .isInstanceOf(UnreadableRecordException.class);
        bytes[0] = 2;
        assertThatThrownBy(() -> NodeStats.decode(bytes)).isInstanceOf(UnreadableRecordException.class);
    }

    private static byte[] encoded(int numbers) {
        ByteWriter writer = new ByteWriter(16);
        writer.writeByte(1);
        writer.writeString("v1.23");
        writer.writeNumbers(LongStream.rangeClosed(1, numbers).toArray());
        return writer.toBytes();
    }

    private static NodeStats counted(String version) {
        return new NodeStats(
                version,
                1,
                new SysStats(
                        new Clients(2, 3, 4, 19),
                        new Traffic(5, new Flow(6, 7), new Flow(8, 9), 10, 20, new Flow(11, 12)),
                        new StoredStats(13, new Subscribed(14, 15), new Subscribed(16, 17), 18)),
                21);
    }
}
