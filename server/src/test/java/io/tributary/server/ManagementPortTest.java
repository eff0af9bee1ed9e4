package io.tributary.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.UnknownSnapshot;
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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.prometheus.PrometheusOutputFormat;
import org.springframework.context.ConfigurableApplicationContext;

/** The port of health, metrics and API beside somebody who means harm: probes get their answer. */
class ManagementPortTest {
    /** More than Tomcat has threads, unless each request has its own. */
    private static final int HELD = 50;

    /** More than somebody opens by mistake. */
    private static final int IDLE = 300;

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
    void probesAreAnsweredWhileManyStayConnected() throws Exception {
        try (ConfigurableApplicationContext context = start()) {
            int port = context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
            List<Socket> idle = new ArrayList<>();
            try {
                for (int i = 0; i < IDLE; i++) {
                    idle.add(ask(port, "GET /actuator/health/liveness HTTP/1.1\r\nHost: localhost\r\n\r\n"));
                }
            } finally {
                for (Socket socket : idle) {
                    socket.close();
                }
            }
        }
    }

    @Test
    void metricsAreMadeForFewAtOnceAndProbesAreAnswered() throws Exception {
        try (ConfigurableApplicationContext context = start();
                HttpClient client = HttpClient.newHttpClient()) {
            String actuator = actuator(context);
            Semaphore made = new Semaphore(0);
            CountDownLatch go = new CountDownLatch(1);
            AtomicInteger most = new AtomicInteger();
            AtomicInteger now = new AtomicInteger();
            Gauge.builder("slow", () -> {
                        most.accumulateAndGet(now.incrementAndGet(), Math::max);
                        made.release();
                        boolean isAwaited = awaited(go);
                        now.decrementAndGet();
                        return isAwaited ? 1 : 0;
                    })
                    .register(context.getBean(MeterRegistry.class));
            List<CompletableFuture<HttpResponse<String>>> askers = new ArrayList<>();
            for (int i = 0; i < 2 * MetricsEndpoint.AT_ONCE; i++) {
                askers.add(client.sendAsync(request(actuator + "prometheus"), BodyHandlers.ofString()));
            }
            try {
                assertThat(made.tryAcquire(MetricsEndpoint.AT_ONCE, PATIENCE.toSeconds(), SECONDS))
                        .isTrue();
                assertThat(client.send(request(actuator + "health/liveness"), BodyHandlers.ofString())
                                .statusCode())
                        .isEqualTo(200);
            } finally {
                go.countDown();
            }
            for (CompletableFuture<HttpResponse<String>> asker : askers) {
                assertThat(asker.get(PATIENCE.toSeconds(), SECONDS).body()).contains("slow 1.0");
            }
            assertThat(most).hasValue(MetricsEndpoint.AT_ONCE);
        }
    }

    @Test
    void saysSoWhenNoTurnComes() throws Exception {
        PrometheusRegistry registry = new PrometheusRegistry();
        MetricsEndpoint endpoint = new MetricsEndpoint(registry, null, Duration.ofMillis(1));
        CountDownLatch made = new CountDownLatch(MetricsEndpoint.AT_ONCE);
        CountDownLatch go = new CountDownLatch(1);
        registry.register(() -> {
            made.countDown();
            awaited(go);
            return new UnknownSnapshot(new MetricMetadata("slow"), List.of());
        });
        try (ExecutorService askers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < MetricsEndpoint.AT_ONCE; i++) {
                askers.execute(() -> endpoint.scrape(PrometheusOutputFormat.CONTENT_TYPE_004, null));
            }
            assertThat(awaited(made)).isTrue();
            assertThat(endpoint.scrape(PrometheusOutputFormat.CONTENT_TYPE_004, null)
                            .getStatus())
                    .isEqualTo(503);
            go.countDown();
        }
        assertThat(endpoint.scrape(PrometheusOutputFormat.CONTENT_TYPE_004, null)
                        .getStatus())
                .isEqualTo(200);
    }

    /** As the load tool asks each second, for whom all metrics would be too much. */
    @Test
    void metricsAreGivenByName() throws Exception {
        try (ConfigurableApplicationContext context = start();
                HttpClient client = HttpClient.newHttpClient()) {
            String named = actuator(context) + "prometheus?includedNames=tributary_messages_";
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

    private static String actuator(ConfigurableApplicationContext context) {
        int port = context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
        return "http://127.0.0.1:" + port + "/actuator/";
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
        return ask(port, "POST /api/v1/node/drain HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n");
    }

    /** Has got an answer, and stays. */
    private static Socket ask(int port, String head) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
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
