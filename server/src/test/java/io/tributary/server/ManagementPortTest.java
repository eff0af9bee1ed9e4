package io.tributary.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;

/** The port of health, metrics and API beside somebody who means harm: probes get their answer. */
class ManagementPortTest {
    /** More than Tomcat has threads, unless each request has its own. */
    private static final int HELD = 50;

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @Test
    void probesAreAnsweredWhileBodiesDoNotCome() throws Exception {
        try (ConfigurableApplicationContext context = start()) {
            int port = context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
            List<Socket> held = new ArrayList<>();
            try {
                for (int i = 0; i < HELD; i++) {
                    held.add(hold(port));
                }
                try (HttpClient client = HttpClient.newHttpClient()) {
                    HttpResponse<String> answer = client.send(
                            request("http://127.0.0.1:" + port + "/actuator/health/liveness"), BodyHandlers.ofString());
                    assertThat(answer.statusCode()).isEqualTo(200);
                }
            } finally {
                for (Socket socket : held) {
                    socket.close();
                }
            }
        }
    }

    @Test
    void metricsAreGivenToFewAtOnceAndProbesAreAnswered() throws Exception {
        try (ConfigurableApplicationContext context = start();
                HttpClient client = HttpClient.newHttpClient()) {
            int port = context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
            String actuator = "http://127.0.0.1:" + port + "/actuator/";
            CountDownLatch reading = new CountDownLatch(MetricsAtOnce.BOUND);
            CountDownLatch go = new CountDownLatch(1);
            Gauge.builder("slow", () -> {
                        reading.countDown();
                        return awaited(go) ? 1 : 0;
                    })
                    .register(context.getBean(MeterRegistry.class));
            List<CompletableFuture<HttpResponse<String>>> askers = new ArrayList<>();
            for (int i = 0; i < MetricsAtOnce.BOUND; i++) {
                askers.add(client.sendAsync(request(actuator + "prometheus"), BodyHandlers.ofString()));
            }
            try {
                assertThat(awaited(reading)).as("each asker is being answered").isTrue();

                for (String other : List.of("prometheus", "prometheus;a=b", "prometheu%73", "../actuator/prometheus")) {
                    HttpResponse<String> answer = client.send(request(actuator + other), BodyHandlers.ofString());
                    assertThat(answer.statusCode()).as(other).isEqualTo(503);
                    assertThat(answer.headers().firstValue("Content-Type"))
                            .hasValueSatisfying(type -> assertThat(type).startsWith("application/problem+json"));
                    assertThat(answer.body()).contains("4 others are given metrics");
                }
                HttpResponse<String> probe =
                        client.send(request(actuator + "health/liveness"), BodyHandlers.ofString());
                assertThat(probe.statusCode()).isEqualTo(200);
            } finally {
                go.countDown();
            }
            for (CompletableFuture<HttpResponse<String>> asker : askers) {
                assertThat(asker.get(PATIENCE.toSeconds(), SECONDS).body()).contains("slow 1.0");
            }
            assertThat(client.send(request(actuator + "prometheus"), BodyHandlers.ofString())
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    /** As the load tool asks each second, for whom all metrics would be too much. */
    @Test
    void metricsAreGivenByName() throws Exception {
        try (ConfigurableApplicationContext context = start();
                HttpClient client = HttpClient.newHttpClient()) {
            int port = context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
            String named = "http://127.0.0.1:" + port + "/actuator/prometheus?includedNames=tributary_messages_";
            assertThat(client.send(request(named + "dropped"), BodyHandlers.ofString())
                            .body())
                    .contains(
                            "\ntributary_messages_dropped_total{place=\"queue\",reason=\"queue_full\",rules=\"none\"} 0.0")
                    .doesNotContain("tributary_messages_queued");
            assertThat(client.send(request(named + "queued"), BodyHandlers.ofString())
                            .body())
                    .contains("\ntributary_messages_queued 0.0");
        }
    }

    private static HttpRequest request(String address) {
        return HttpRequest.newBuilder(URI.create(address)).timeout(PATIENCE).build();
    }

    private static boolean awaited(CountDownLatch latch) {
        try {
            return latch.await(PATIENCE.toSeconds(), SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Has got its answer, and keeps back the body that it has announced but for one byte now and then. */
    private static Socket hold(int port) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        String head = "POST /api/v1/node/drain HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n";
        socket.setSoTimeout((int) PATIENCE.toMillis());
        socket.getOutputStream().write(head.getBytes(US_ASCII));
        assertThat(socket.getInputStream().read()).isEqualTo('H');
        return socket;
    }

    private ConfigurableApplicationContext start() {
        return TributaryApplication.application(ApplicationConfiguration.class)
                .run(
                        "--tributary.data-dir=" + folder.resolve("data"),
                        "--tributary.listeners.tcp.port=0",
                        "--tributary.listeners.ws.enabled=false",
                        "--server.port=0");
    }
}
