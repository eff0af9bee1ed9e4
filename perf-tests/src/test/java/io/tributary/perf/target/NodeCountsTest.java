package io.tributary.perf.target;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
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

    private final AtomicInteger requests = new AtomicInteger();
    private HttpServer node;

    @BeforeEach
    void start() throws Exception {
        node = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        node.createContext("/actuator/prometheus", exchange -> {
            String asked = exchange.getRequestURI().getQuery().replace("includedNames=", "");
            requests.incrementAndGet();
            byte[] answer = Arrays.stream(asked.split(","))
                    .map(name -> ANSWERS.getOrDefault(name, ""))
                    .collect(Collectors.joining())
                    .getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length == 0 ? -1 : answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        node.start();
    }

    @AfterEach
    void stop() {
        node.stop(0);
    }

    @Test
    void addsUpWhatNodesSay() {
        int port = node.getAddress().getPort();
        assertThat(counts(port, port)).isEqualTo(Map.of("messages queued", 14L, "messages dropped", 864L));
        assertThat(requests).hasValue(2);
    }

    @Test
    void leavesOutWhatANodeDoesNotKnow() {
        node.removeContext("/actuator/prometheus");
        node.createContext("/actuator/prometheus", exchange -> {
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        assertThat(counts(node.getAddress().getPort())).isEmpty();
    }

    private static Map<String, Long> counts(Integer... ports) {
        return NodeCounts.here(List.of(ports)).get();
    }
}
