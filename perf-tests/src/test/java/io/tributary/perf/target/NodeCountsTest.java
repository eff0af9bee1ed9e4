package io.tributary.perf.target;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The answers are a node's, for which {@code ManagementPortTest} of the server stands. */
class NodeCountsTest {
    private static final Map<String, String> ANSWERS =
            Map.of("tributary_messages_queued", """
            # HELP tributary_messages_queued ...
            # TYPE tributary_messages_queued gauge
            tributary_messages_queued 7.0
            """, "tributary_messages_dropped", """
            # HELP tributary_messages_dropped_total ...
            # TYPE tributary_messages_dropped_total counter
            tributary_messages_dropped_total{place="queue",reason="expired",rules="none"} 100.0
            tributary_messages_dropped_total{place="queue",reason="owner_busy",rules="none"} 400.0
            tributary_messages_dropped_total{place="queue",reason="queue_full",rules="none"} 2.0
            tributary_messages_dropped_total{place="router",reason="no_subscribers",rules="none"} 1000.0
            tributary_messages_dropped_total{place="session",reason="queue_full",rules="none"} 30.0
            """);

    private Map<String, String> answers = ANSWERS;
    private FakeNode node;

    @BeforeEach
    void start() throws Exception {
        node = new FakeNode(names ->
                names.stream().map(name -> answers.getOrDefault(name, "")).collect(Collectors.joining()));
    }

    @AfterEach
    void stop() {
        node.close();
    }

    @Test
    void addsUpWhatNodesSay() {
        int port = node.port();
        assertThat(counts(port, port)).isEqualTo(Map.of("messages queued", 14L, "messages dropped", 864L));
        assertThat(node.requests()).isEqualTo(2);
    }

    @Test
    void leavesOutWhatANodeDoesNotKnow() {
        answers = Map.of();
        assertThat(counts(node.port())).isEmpty();
    }

    private static Map<String, Long> counts(Integer... ports) {
        return NodeCounts.here(List.of(ports)).get();
    }
}
