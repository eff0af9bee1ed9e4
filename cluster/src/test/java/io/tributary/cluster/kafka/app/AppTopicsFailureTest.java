package io.tributary.cluster.kafka.app;

import static io.tributary.persistence.contract.SavePoints.message;
import static io.tributary.persistence.contract.Waiting.assertFails;
import static io.tributary.persistence.contract.Waiting.get;
import static io.tributary.persistence.contract.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaRecorder;
import io.tributary.cluster.kafka.TestKafka;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.mqtt.QoS;
import io.tributary.localcluster.LocalKafka;
import io.tributary.persistence.app.AppTopics;
import io.tributary.persistence.app.AppTopics.AppRecord;
import io.tributary.persistence.app.AppTopics.AppTopic;
import io.tributary.persistence.app.AppTopics.Page;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What happens to application topics when the only broker is killed and comes back. */
class AppTopicsFailureTest {
    private static final long BUFFER_BYTES = 1024 * 1024;
    private static final AppTopic ERP = new AppTopic("erp", false);
    private static final Recipient RECIPIENT =
            new Recipient("erp", 9, QoS.AT_LEAST_ONCE, false, List.of(), null, ClientKind.APPLICATION);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private static Path folder;

    @SuppressWarnings("NullAway.Init")
    private static LocalKafka kafka;

    private final AtomicInteger broken = new AtomicInteger();
    private final KafkaConfig config = TestKafka.config(kafka, 1)
            .withAppends(KafkaConfig.Appends.defaults().withBufferBytes(BUFFER_BYTES));

    @BeforeAll
    static void startKafka() {
        kafka = LocalKafka.in(folder).start();
    }

    @AfterAll
    static void stopKafka() {
        kafka.close();
    }

    private KafkaAppTopics open() {
        return new KafkaAppTopics(
                config,
                AppTopicsConfig.defaults(),
                "node",
                TestKafka.LARGEST_PACKET,
                "back-end",
                RecordFormat.alone(),
                KafkaRecorder.NONE,
                failure -> broken.incrementAndGet());
    }

    @Test
    void everyAppendIsReadOnceAndInOrderWhenTheBrokerIsKilledMeanwhile() throws InterruptedException {
        try (KafkaAppTopics topics = open()) {
            get(topics.create(ERP));
            List<Long> positions = Collections.synchronizedList(new ArrayList<>());
            AtomicBoolean stopping = new AtomicBoolean();
            AtomicInteger accepted = new AtomicInteger();
            Thread appending = Thread.ofPlatform().start(() -> appendNumbers(topics, positions, accepted, stopping));
            List<AppRecord> read = Collections.synchronizedList(new ArrayList<>());
            readOn(topics, 0, read);
            for (int round = 0; round < 2; round++) {
                int before = positions.size();
                until(() -> positions.size() >= before + 2000);
                kafka.kill(1);
                kafka.restart(1);
            }
            int restarted = positions.size();
            until(() -> positions.size() >= restarted + 1000);
            stopping.set(true);
            appending.join();
            until(() -> positions.size() == accepted.get() && read.size() >= accepted.get());
            assertThat(read)
                    .extracting(AppRecord::message)
                    .isEqualTo(LongStream.range(0, accepted.get())
                            .mapToObj(number -> message(number))
                            .toList());
            assertThat(read).extracting(AppRecord::position).isEqualTo(new ArrayList<>(positions));
            assertThat(broken).hasValue(0);
        }
    }

    @Test
    void everythingWaitsWhenTheBrokerIsAwayAndHappensWhenItIsBack() {
        try (KafkaAppTopics topics = open()) {
            get(topics.create(ERP));
            kafka.kill(1);
            CompletableFuture<Page> read = topics.read(ERP, null, 0, 10, 10_000);
            AppTopic other = new AppTopic("other", false);
            CompletionStage<AppTopics.Found> created = topics.create(other);
            AtomicInteger completed = new AtomicInteger();
            int accepted = 0;
            while (topics.append(ERP, message(accepted), RECIPIENT, null, (position, failure) -> {
                assertThat(failure).isNull();
                completed.addAndGet(position >= 0 ? 1 : 0);
            })) {
                accepted++;
            }
            assertThat(accepted).isBetween(1000, (int) BUFFER_BYTES / 100);
            CompletableFuture<Boolean> room = new CompletableFuture<>();
            topics.onRoom(() -> room.complete(true));
            assertThat(room).isNotDone();
            assertThat(read).isNotDone();
            assertThat(created.toCompletableFuture()).isNotDone();
            kafka.restart(1);
            get(room);
            int expected = accepted;
            until(() -> completed.get() == expected);
            assertThat(get(read).records()).isNotEmpty();
            assertThat(get(created).end()).isZero();
        }
    }

    /** By the time at which the broker is back the topic may be that of another session. */
    @Test
    void deletionIsGivenUpWhenTheBrokerIsAway() {
        try (KafkaAppTopics topics = open()) {
            get(topics.create(ERP));
            kafka.kill(1);
            assertFails(topics.delete(ERP), RuntimeException.class);
            kafka.restart(1);
            get(topics.create(new AppTopic("other", false)));
            assertThat(get(topics.find(ERP))).isNotNull();
            get(topics.delete(ERP));
            until(() -> get(topics.find(ERP)) == null);
        }
    }

    private static void appendNumbers(
            KafkaAppTopics topics, List<Long> positions, AtomicInteger accepted, AtomicBoolean stopping) {
        Semaphore window = new Semaphore(500);
        try {
            while (!stopping.get()) {
                if (window.tryAcquire(100, TimeUnit.MILLISECONDS)) {
                    assertThat(topics.append(ERP, message(accepted.get()), RECIPIENT, null, (position, failure) -> {
                                positions.add(failure == null ? position : -1L);
                                window.release();
                            }))
                            .isTrue();
                    accepted.incrementAndGet();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void readOn(KafkaAppTopics topics, long from, List<AppRecord> into) {
        CompletableFuture<?> _ = topics.read(ERP, null, from, 100, 1_000_000).whenComplete((page, failure) -> {
            if (page != null) {
                into.addAll(page.records());
                readOn(topics, page.next(), into);
            }
        });
    }
}
