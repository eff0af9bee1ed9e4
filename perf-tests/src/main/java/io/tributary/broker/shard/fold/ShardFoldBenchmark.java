package io.tributary.broker.shard.fold;

import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.ShardEvent.Attach;
import io.tributary.common.event.ShardEvent.ClientSettled;
import io.tributary.common.event.ShardEvent.Owner;
import io.tributary.common.event.ShardEvent.Publish;
import io.tributary.common.event.ShardEvent.Settled;
import io.tributary.common.mqtt.Message;
import io.tributary.perf.jmh.Messages;
import io.tributary.perf.jmh.Microbenchmark;
import io.tributary.persistence.shard.SavePoint;
import io.tributary.persistence.shard.ShardStore.Claim;
import java.util.ArrayList;
import java.util.List;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * What a shard's thread does with the records of its log, without what surrounds it: no decoding, no store, no
 * deliveries. An operation is a message for one session; a round of {@value #MESSAGES} of them ends in a save point.
 */
public class ShardFoldBenchmark extends Microbenchmark {
    private static final int MESSAGES = 400;
    private static final int PAYLOAD_BYTES = 62;
    private static final long OWNER = 0;

    /** How many sessions a record is for: 1 in point-to-point traffic, up to 200 in fan-out. */
    @Param({"1", "20", "200"})
    public int recipients;

    private ShardState state;
    private List<Publish> records;
    private long messageBytes;
    private long offset;
    private long sequence;

    /** A session for each message of a round, so that each gets one message a round. */
    @Setup
    public void prepare() {
        state = new ShardState(new NoEffects(), new Claim(-1, -1, List.of()));
        state.apply(OWNER, 0, new Owner("here"));
        for (int i = 1; i <= MESSAGES; i++) {
            state.apply(i, 0, attach(i - 1));
        }
        offset = MESSAGES;
        sequence = 0;
        Message message = Messages.message(PAYLOAD_BYTES);
        messageBytes = message.sizeBytes();
        List<Recipient> all = Messages.recipients(MESSAGES, 1);
        records = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i += recipients) {
            records.add(new Publish(message, all.subList(i, i + recipients), null));
        }
        state.takeSavePoint(OWNER, -1);
    }

    private static Attach attach(int client) {
        return new Attach(
                Messages.client(client),
                "here",
                client,
                false,
                3600,
                100,
                ClientKind.DEVICE,
                null,
                Principal.ofUser(Messages.client(client)),
                false);
    }

    /** All messages are acknowledged before the save point, which is left with sessions: steady traffic. */
    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    public SavePoint publishAndSettle() {
        publishAll();
        List<ClientSettled> settled = new ArrayList<>(MESSAGES);
        for (int i = 0; i < MESSAGES; i++) {
            settled.add(new ClientSettled(Messages.client(i), i + 1, new long[] {sequence}, messageBytes, new long[0]));
        }
        state.apply(++offset, 0, new Settled(OWNER, settled, List.of()));
        return state.takeSavePoint(OWNER, -1);
    }

    /** None is acknowledged: all go into the save point, as the messages of offline sessions do. */
    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    public SavePoint publishAndKeep() {
        publishAll();
        return state.takeSavePoint(OWNER, -1);
    }

    private void publishAll() {
        for (Publish record : records) {
            state.apply(++offset, 0, record);
        }
        sequence++;
    }
}
