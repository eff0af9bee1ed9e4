package io.tributary.cluster.redis;

import static io.tributary.persistence.contract.SavePoints.emptySave;
import static io.tributary.persistence.contract.SavePoints.queued;
import static io.tributary.persistence.contract.SavePoints.session;
import static io.tributary.persistence.contract.SavePoints.will;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.QueueEntry.Released;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.StateCodec;
import io.tributary.common.event.StoredSession;
import io.tributary.persistence.shard.SavePoint;
import io.tributary.persistence.shard.SavePoint.SequenceKey;
import io.tributary.persistence.shard.SavePoint.SequencedEntry;
import io.tributary.persistence.shard.SavePoint.SourcePosition;
import io.tributary.persistence.shard.SavePoint.WillKey;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Holds what is in Redis to docs/redis-layout.md: keys and fields have no format of their own, but all together. */
class SaveCallTest {
    private static final StoredSession SESSION = session("a", 1);

    @Test
    void keysAndArgumentsStayWhatTheyAre() {
        SavePoint savePoint = emptySave(70, 5, 9)
                .sources(List.of(new SourcePosition(127, 1000, 3)))
                .cleared(List.of("gone"))
                .sessions(List.of(SESSION))
                .removed(List.of(new SequenceKey("a", 3), new SequenceKey("a", 4), new SequenceKey("a", 6)))
                .queued(List.of(new SequencedEntry("a", 7, new Released())))
                .willsRemoved(List.of(new WillKey("b", 8)))
                .wills(List.of(will("a", 258)))
                .build();
        SaveCall call =
                new SaveCall(new ShardKeys("5nw", 0), savePoint, RedisConfig.INLINE_BYTES, RecordFormat.NEWEST, 0);
        assertThat(texts(call.keys()))
                .containsExactly(
                        "tributary:{5nw}:shard",
                        "tributary:{5nw}:sessions",
                        "tributary:{5nw}:wills",
                        "tributary:{5nw}:references",
                        "tributary:{5nw}:gone",
                        "tributary:{5nw}:queue:gone",
                        "tributary:{5nw}:queue:a");
        byte[] storedWill =
                StateCodec.encodeWill(will("a", 258).will(), will("a", 258).due(), RecordFormat.NEWEST);
        assertThat(Arrays.stream(call.arguments()).map(HexFormat.of()::formatHex))
                .containsExactly(
                        // position
                        ascii("70"),
                        ascii("5"),
                        ascii("9"),
                        // how many of what
                        ascii("1"),
                        ascii("1"),
                        ascii("10"),
                        ascii("2"),
                        ascii("2"),
                        ascii("0"),
                        ascii("gone"),
                        "00000000000008" + ascii("b"),
                        ascii("layout"),
                        ascii("2"),
                        ascii("folded-owner"),
                        ascii(Long.toString(savePoint.foldedOwner())),
                        ascii("leader-epoch"),
                        ascii(Integer.toString(savePoint.leaderEpoch())),
                        ascii("snapshot-at"),
                        ascii(Long.toString(savePoint.snapshotMillis())),
                        ascii("source:127"),
                        ascii("1000 3"),
                        ascii("a"),
                        hex(StateCodec.encodeSession(SESSION, RecordFormat.NEWEST)),
                        "00000000000102" + ascii("a"),
                        hex(storedWill),
                        // the queue of the client whose session ended
                        ascii("1"),
                        ascii("0"),
                        ascii("0"),
                        ascii("0"),
                        // that of the other one: two runs are removed, one entry is put
                        ascii("0"),
                        ascii("2"),
                        ascii("1"),
                        ascii("0"),
                        ascii("3"),
                        ascii("4"),
                        ascii("6"),
                        ascii("6"),
                        ascii("7"),
                        "00000000000007" + "00000000" + "00" + "0443");
    }

    @Test
    void messageThatLiesApartIsInTheCallOnce() {
        Queued shared = queued(5);
        SavePoint savePoint = emptySave(70, 5, 9)
                .queued(List.of(new SequencedEntry("a", 7, shared), new SequencedEntry("b", 1, shared)))
                .build();
        SaveCall call = new SaveCall(new ShardKeys("5nw", 0), savePoint, 0, RecordFormat.NEWEST, 0);
        byte[] body = StateCodec.encodeMessage(shared.message(), null, RecordFormat.NEWEST);
        List<String> arguments =
                Arrays.stream(call.arguments()).map(HexFormat.of()::formatHex).toList();
        assertThat(arguments.subList(8, 9)).containsExactly(ascii("4"));
        assertThat(arguments.subList(17, arguments.size()))
                .containsExactly(
                        hex(BodyId.of(body)),
                        ascii("2"),
                        ascii("0"),
                        hex(body),
                        ascii("0"),
                        ascii("0"),
                        ascii("1"),
                        ascii("1"),
                        ascii("7"),
                        hex(StateBytes.member(7, shared, BodyId.of(body), RecordFormat.NEWEST)),
                        ascii("0"),
                        ascii("0"),
                        ascii("1"),
                        ascii("1"),
                        ascii("1"),
                        hex(StateBytes.member(1, shared, BodyId.of(body), RecordFormat.NEWEST)));
    }

    private static List<String> texts(byte[][] keys) {
        return Arrays.stream(keys)
                .map(key -> new String(key, StandardCharsets.UTF_8))
                .toList();
    }

    private static String ascii(String text) {
        return hex(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
