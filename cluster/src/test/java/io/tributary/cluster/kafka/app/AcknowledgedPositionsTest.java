package io.tributary.cluster.kafka.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cluster.kafka.KafkaRecorder;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AcknowledgedPositionsTest {
    private final Set<String> told = new TreeSet<>();
    private final AppAdmin admin = new AppAdmin(
            WatchedAdmin.of(WatchedAdmin.SILENT, (method, argument) -> {
                if (method.equals("alterConsumerGroupOffsets")) {
                    told.add((String) argument);
                }
            }),
            "node",
            KafkaRecorder.NONE);
    private final AcknowledgedPositions positions = new AcknowledgedPositions(admin, false);

    @AfterEach
    void close() {
        admin.close();
    }

    /** Each acknowledges messages all the time. */
    @ParameterizedTest
    @CsvSource({"400, 2", "5000, 8"})
    void everyGroupIsToldInItsTurn(int groups, int times) {
        for (int time = 0; time < times; time++) {
            noteAll(groups, time + 1);
            positions.flush();
        }
        assertThat(told)
                .isEqualTo(IntStream.range(0, groups)
                        .mapToObj(AcknowledgedPositionsTest::group)
                        .collect(Collectors.toSet()));
    }

    private void noteAll(int groups, long position) {
        for (int i = 0; i < groups; i++) {
            positions.note(group(i), new TopicPartition(group(i), 0), null, true, position);
        }
    }

    private static String group(int number) {
        return "group-" + number;
    }
}
