package io.tributary.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.BrokerStatus;
import io.tributary.broker.MemoryUse;
import io.tributary.broker.deployment.ClusterStatus;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What probes are told. */
class ProbesTest {

    /** To start it again would not bring Kafka back: it lives, and is not ready. */
    @Test
    void nodeWithoutKafkaIsAliveAndNotReady() throws Exception {
        try (ConfigurableApplicationContext context =
                TributaryApplication.application(WithoutKafka.class).run("--server.port=0")) {
            int port = context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
            HttpResponse<String> liveness = get(port, "/liveness");
            assertThat(liveness.statusCode()).isEqualTo(200);
            assertThat(liveness.body()).contains("\"UP\"");
            HttpResponse<String> readiness = get(port, "/readiness");
            assertThat(readiness.statusCode()).isEqualTo(503);
            assertThat(readiness.body())
                    .contains("\"DOWN\"", "Kafka does not answer")
                    .doesNotContain("\"UP\"");
            HttpResponse<String> all = get(port, "");
            assertThat(all.statusCode()).isEqualTo(503);
            assertThat(all.body())
                    .contains("\"livenessState\":{\"status\":\"UP\"}")
                    .doesNotContain("readinessState");
        }
    }

    private static HttpResponse<String> get(int port, String probe) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            URI address = URI.create("http://127.0.0.1:" + port + "/actuator/health" + probe);
            return client.send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ManagementParts
    static class WithoutKafka {
        @Bean
        BrokerHealth brokerHealthIndicator() {
            return new BrokerHealth(() -> new BrokerStatus(
                    true,
                    null,
                    null,
                    List.of(),
                    0,
                    0,
                    0,
                    0,
                    MemoryUse.NONE,
                    0,
                    0,
                    0,
                    0,
                    MemoryUse.NONE,
                    0,
                    0,
                    List.of(),
                    new ClusterStatus(
                            7_883,
                            1,
                            128,
                            0,
                            0,
                            0,
                            Duration.ZERO,
                            false,
                            false,
                            List.of("Kafka does not answer"),
                            List.of(),
                            null)));
        }
    }
}
