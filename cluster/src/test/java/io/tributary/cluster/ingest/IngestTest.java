package io.tributary.cluster.ingest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.delivery.NodeView;
import io.tributary.broker.routing.RouterFixture;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.common.codec.DecoderLimits;
import io.tributary.common.event.Source;
import io.tributary.common.mqtt.QoS;
import io.tributary.persistence.ingest.IngestOptions;
import io.tributary.persistence.ingest.IngestRecord;
import io.tributary.persistence.ingest.IngestSource.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class IngestTest implements NodeView, Verdict, IngestRecorder {
    private static final long PRODUCED = 1_000_000;

    private boolean current = true;
    private boolean congested;
    private int read;
    private @Nullable Error failure;

    private final RouterFixture fixture = new RouterFixture();
    private final List<String> verdicts = new ArrayList<>();
    private final List<Outcome> outcomes = new ArrayList<>();
    private final List<Duration> delays = new ArrayList<>();
    private final Ingest ingest = new Ingest(
            new IngestConfig("back-end", new IngestOptions(List.of("commands"), null, 1, 1)),
            DecoderLimits.DEFAULT,
            fixture.router(),
            this,
            () -> congested,
            this::now,
            this);

    @Test
    void recordIsPublished() {
        fixture.subscribe(new Subscriber("c", false, 1), "a/#", QoS.AT_LEAST_ONCE);
        assertThat(ingest.onRecord(record("a/b"), this)).isTrue();
        assertThat(fixture.deliveries).hasSize(1);
        assertThat(fixture.deliveries.getFirst().message().message().topic()).isEqualTo("a/b");
        assertThat(verdicts).containsExactly("safe");
        assertThat(outcomes).containsExactly(Outcome.PUBLISHED);
        assertThat(delays).containsExactly(Duration.ofMillis(1_500));
        assertThat(read).isEqualTo(1);
    }

    @Test
    void nothingIsTakenWhileNodeIsBehindOrLogsAreFull() {
        current = false;
        assertThat(ingest.onRecord(record("a/b"), this)).isFalse();
        current = true;
        congested = true;
        assertThat(ingest.onRecord(record("a/b"), this)).isFalse();
        congested = false;
        assertThat(ingest.onRecord(record("a/b"), this)).isTrue();
        assertThat(read).isEqualTo(1);
    }

    /** One back-end's records would fill the node's memory otherwise: clients wait, too. */
    @Test
    void nothingIsTakenWhileMuchWaitsForRetainedMessages() {
        fixture.retainedMap.hold();
        IngestRecord.Header retained = new IngestRecord.Header("mqtt.retain", "true".getBytes(UTF_8));
        int taken = 0;
        while (ingest.onRecord(record("a", new byte[100_000], retained), this)) {
            taken++;
            assertThat(taken).isLessThan(1_000);
        }
        assertThat(read).isEqualTo(taken);
        fixture.retainedMap.release();
        assertThat(ingest.onRecord(record("a"), this)).isTrue();
    }

    @Test
    void recordThatIsNoMessageIsInvalid() {
        assertThat(ingest.onRecord(record("a/#"), this)).isTrue();
        assertThat(verdicts).containsExactly("invalid: topic name has a wildcard [MQTT-3.3.2-2]");
        assertThat(outcomes).containsExactly(Outcome.INVALID);
    }

    /** Logs would refuse it each time that it is read again, and nothing behind it would be published. */
    @Test
    void recordOfWhichTheMessageIsTooLargeIsInvalid() {
        fixture.subscribe(new Subscriber("c", true, 1), "a", QoS.AT_LEAST_ONCE);
        byte[] large = "m".repeat(200_000).getBytes(UTF_8); // no more than a packet may have by the limits of this test
        assertThat(ingest.onRecord(record("a", large), this)).isTrue();
        assertThat(verdicts).containsExactly("invalid: it is larger than the largest packet of a client");
        assertThat(outcomes).containsExactly(Outcome.INVALID);
    }

    @Test
    void recordThatHadExpiredIsPassedOver() {
        fixture.subscribe(new Subscriber("c", false, 1), "a", QoS.AT_LEAST_ONCE);
        assertThat(ingest.onRecord(record("a", new IngestRecord.Header("mqtt.expires", "1".getBytes(UTF_8))), this))
                .isTrue();
        assertThat(fixture.deliveries).isEmpty();
        assertThat(verdicts).containsExactly("safe");
        assertThat(outcomes).containsExactly(Outcome.EXPIRED);
    }

    @Test
    void recordIsReadAgainWhenItIsNotSafe() {
        fixture.retainedMap.failWith(new IllegalStateException("busy"));
        ingest.onRecord(record("a", new IngestRecord.Header("mqtt.retain", "true".getBytes(UTF_8))), this);
        assertThat(verdicts).containsExactly("failed");
        assertThat(outcomes).containsExactly(Outcome.FAILED);
        assertThat(delays).isEmpty();
    }

    @Test
    void recordIsReadAgainWhenThereIsAnError() {
        failure = new StackOverflowError("as the test wants");
        assertThat(ingest.onRecord(record("a"), this)).isTrue();
        assertThat(verdicts).containsExactly("failed");
        assertThat(outcomes).containsExactly(Outcome.FAILED);
    }

    private Instant now() {
        if (failure != null) {
            throw failure;
        }
        return Instant.ofEpochMilli(PRODUCED + 1_500);
    }

    private static IngestRecord record(String key, IngestRecord.Header... headers) {
        return record(key, "m".getBytes(UTF_8), headers);
    }

    private static IngestRecord record(String key, byte[] value, IngestRecord.Header... headers) {
        Source source = new Source(Source.FIRST_INGEST, 5, 0);
        return new IngestRecord("commands", 0, 5, PRODUCED, source, key.getBytes(UTF_8), value, List.of(headers));
    }

    @Override
    public boolean isCurrent() {
        return current;
    }

    @Override
    public void onCurrent(Runnable action) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void safe() {
        verdicts.add("safe");
    }

    @Override
    public void invalid(String reason) {
        verdicts.add("invalid: " + reason);
    }

    @Override
    public void failed() {
        verdicts.add("failed");
    }

    @Override
    public void read() {
        read++;
    }

    @Override
    public void delay(Duration age) {
        delays.add(age);
    }

    @Override
    public void done(Outcome outcome) {
        outcomes.add(outcome);
    }
}
