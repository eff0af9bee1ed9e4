package io.tributary.persistence.rocksdb;

import static io.tributary.persistence.contract.Waiting.get;
import static io.tributary.persistence.contract.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.common.mqtt.Message;
import io.tributary.persistence.app.GroupRecorder;
import io.tributary.persistence.app.GroupTopics;
import io.tributary.persistence.app.GroupTopics.Consumption;
import io.tributary.persistence.app.GroupTopics.GroupMessage;
import io.tributary.persistence.contract.GroupTopicsContract;
import io.tributary.persistence.contract.RecordingConsumer;
import io.tributary.persistence.contract.SavePoints;
import io.tributary.persistence.rocksdb.RocksDbGroupTopics.DeadLetter;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RocksDbGroupTopicsTest extends GroupTopicsContract {
    private static final int MOST_DEAD_LETTERS = 10;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private @Nullable RocksDbDatabase database;

    @Override
    protected GroupTopics open() {
        closeDatabase();
        RocksDbGroupOptions options = RocksDbGroupOptions.defaults()
                .withDeliveryLimit(DELIVERY_LIMIT)
                .withMaxDeadLetters(MOST_DEAD_LETTERS);
        database = TestDatabase.open(folder, 4);
        return new RocksDbGroupTopics(database, options, GroupRecorder.NONE);
    }

    @Override
    protected int nodes() {
        return 1;
    }

    @Override
    protected List<Message> deadLetters() {
        return letters().stream().map(DeadLetter::message).toList();
    }

    @AfterEach
    void closeDatabase() {
        if (database != null) {
            database.close();
        }
    }

    @Test
    void deliveriesAreStillCountedWhenTheDatabaseWasOpenedAgain() {
        appendAll(0, 1);
        for (int delivery = 1; delivery <= DELIVERY_LIMIT; delivery++) {
            RecordingConsumer consumer = new RecordingConsumer();
            topics().consume(GROUP, consumer).request(1);
            assertThat(consumer.await(1).getFirst().deliveries()).isEqualTo(delivery);
            reopen();
        }
        until(() -> deadLetters().equals(List.of(SavePoints.message(0))));
    }

    @Test
    void oldestDeadLettersAreDroppedWhenThereAreTooMany() {
        appendAll(0, 25);
        RecordingConsumer consumer = new RecordingConsumer();
        Consumption consumption = topics().consume(GROUP, consumer);
        consumption.request(25);
        List<GroupMessage> came = consumer.await(25);
        for (GroupMessage each : came.subList(0, 5)) {
            consumption.reject(each);
        }
        until(() -> letters().size() == 5);
        came.subList(5, 25).forEach(consumption::reject);
        List<Message> latest = came.subList(15, 25).stream().map(GroupMessage::message).toList();
        until(() -> deadLetters().equals(latest));
        reopen();
        assertThat(deadLetters()).endsWith(latest.toArray(new Message[0]));
        assertThat(letters().getLast().group()).isEqualTo(GROUP);
        assertThat(letters().getLast().deliveries()).isOne();
    }

    private List<DeadLetter> letters() {
        return get(((RocksDbGroupTopics) topics()).deadLetters(100));
    }
}
