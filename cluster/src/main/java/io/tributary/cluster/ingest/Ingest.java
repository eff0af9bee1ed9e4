package io.tributary.cluster.ingest;

import io.tributary.broker.delivery.NodeView;
import io.tributary.broker.routing.RouteOutcome;
import io.tributary.broker.routing.Router;
import io.tributary.cluster.ingest.IngestRecorder.Outcome;
import io.tributary.common.codec.DecoderLimits;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.persistence.ingest.IngestRecord;
import io.tributary.persistence.ingest.IngestSource;
import io.tributary.persistence.ingest.IngestSource.Verdict;
import java.time.Duration;
import java.time.InstantSource;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes the records of an {@link IngestSource}, in their order. What is no message, or may not be published, is
 * counted and passed over. While this node is behind the others, its logs have no room, or too much waits for retained
 * messages to be stored, it takes none. On the source's thread.
 *
 * <p>Decided in docs/decisions/0010-numbers-of-ingest-partitions.md.
 */
public final class Ingest implements IngestSource.Reader {
    private static final Logger LOG = LoggerFactory.getLogger(Ingest.class);

    private final Router router;
    private final NodeView view;
    private final BooleanSupplier isCongested;
    private final IngestRecorder recorder;
    private final InstantSource clock;
    private final RecordReader reader;
    private final BoundedLog passedOver = new BoundedLog(LOG, System::nanoTime);

    /**
     * Creates one.
     *
     * @param limits what a client may send
     * @param view whether this node knows what the others do
     * @param isCongested whether the logs of shards have no room
     * @param clock the time by which messages expire
     */
    public Ingest(
            IngestConfig config,
            DecoderLimits limits,
            Router router,
            NodeView view,
            BooleanSupplier isCongested,
            InstantSource clock,
            IngestRecorder recorder) {
        this.router = router;
        this.view = view;
        this.isCongested = isCongested;
        this.recorder = recorder;
        this.clock = clock;
        this.reader = new RecordReader(config.publisher(), limits);
    }

    @Override
    public boolean onRecord(IngestRecord record, Verdict verdict) {
        if (!view.isCurrent() || isCongested.getAsBoolean() || router.congestion() != null) {
            return false;
        }
        recorder.read();
        try {
            publish(record, reader.read(record), verdict);
        } catch (InvalidRecordException e) {
            invalid(record, String.valueOf(e.getMessage()), verdict);
        } catch (RuntimeException | Error e) {
            LOG.error("{} could not be published; it is read again", record.place(), e);
            recorder.done(Outcome.FAILED);
            verdict.failed();
        }
        return true;
    }

    private void publish(IngestRecord record, Message message, Verdict verdict) {
        if (message.isExpiredAt(clock.millis())) {
            recorder.done(Outcome.EXPIRED);
            verdict.safe();
        } else {
            router.publish(message, record.source(), outcome -> decide(record, outcome, verdict));
        }
    }

    private void decide(IngestRecord record, RouteOutcome outcome, Verdict verdict) {
        switch (outcome) {
            case RouteOutcome.Safe(), RouteOutcome.NoSubscribers() -> {
                recorder.done(Outcome.PUBLISHED);
                if (record.timeMillis() >= 0) { // by the clock of the producer, which may be ahead of ours
                    recorder.delay(Duration.ofMillis(Math.max(0, clock.millis() - record.timeMillis())));
                }
                verdict.safe();
            }
            case RouteOutcome.Refused(var reason, var words)
            when reason == ReasonCode.PACKET_TOO_LARGE -> invalid(record, words, verdict);
            case RouteOutcome.Refused(var reason, var words) -> {
                LOG.debug("a record is refused: {} {}", reason, words);
                recorder.done(Outcome.REFUSED);
                verdict.safe();
            }
            case RouteOutcome.Lost() -> {
                recorder.done(Outcome.FAILED);
                verdict.failed();
            }
        }
    }

    private void invalid(IngestRecord record, String reason, Verdict verdict) {
        passedOver.warn("{} is not published: {}", record.place(), reason);
        recorder.done(Outcome.INVALID);
        verdict.invalid(reason);
    }
}
