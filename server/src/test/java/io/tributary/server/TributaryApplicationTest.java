package io.tributary.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import io.tributary.common.event.RecordFormat;
import io.tributary.localcluster.Ports;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The program as a user starts it, in a process of its own. */
@DisabledOnOs(OS.WINDOWS)
class TributaryApplicationTest {

    @TempDir
    Path folder;

    @Test
    void startsServesAndStops() throws Exception {
        int port = Ports.free();
        int managementPort = Ports.free();
        try (ChildProcess broker = broker(port, managementPort)) {
            List<String> lines = broker.linesUntilReady();
            assertThat(lines)
                    .anySatisfy(line -> assertThat(line)
                            .endsWith("listening on 127.0.0.1:" + port + " (mqtt over tcp, listener 'tcp')"))
                    .anySatisfy(line -> assertThat(line).contains("mqtt over websocket, path /mqtt, listener 'ws'"))
                    .anySatisfy(line -> assertThat(line)
                            .contains("data in " + folder, "(format " + RecordFormat.NEWEST + ", sync interval)"))
                    .anySatisfy(
                            line -> assertThat(line).endsWith("docs/security.md says how to open it to the network"))
                    .anySatisfy(line -> assertThat(line)
                            .endsWith("health at http://127.0.0.1:" + managementPort + "/actuator/health, metrics at"
                                    + " http://127.0.0.1:" + managementPort + "/actuator/prometheus"))
                    .anySatisfy(line -> assertThat(line).contains("limits: open files ", ", heap ", ", direct memory "))
                    .anySatisfy(line -> assertThat(line).contains("docs/configuration.md"))
                    .anySatisfy(line -> assertThat(line).contains("started in "));
            assertThat(lines.stream().filter(line -> line.contains("ready"))).containsExactly("ready");
            connectOnce(port);
            assertThat(get(managementPort, "health/liveness")).contains("\"UP\"");
            assertThat(get(managementPort, "health/readiness")).contains("\"UP\"", "listeners");
            assertThat(get(managementPort, "info")).contains("\"version\"", "\"commit\"");
            await().untilAsserted(
                            () -> assertThat(get(managementPort, "prometheus")).contains("tributary_ready 1.0"));
            assertThat(get(managementPort, "prometheus"))
                    .contains("tributary_clients_connected_total{session=\"new\"} 1.0")
                    .contains("tributary_network_direct_memory_bytes")
                    .contains("jvm_memory_used_bytes")
                    .contains("process_uptime_seconds")
                    .contains("disk_free_bytes{path=\"" + folder + "\"}");
            assertThat(page(managementPort, "/")).contains("/actuator/health\n", "/actuator/prometheus\n");
            broker.signal("HUP");
            broker.awaitLine("SIGHUP: settings are read at the start only");
            connectOnce(port);
            broker.signal("TERM");
            assertThat(broker.rest()).contains("stopping", "stopped after").doesNotContain("ready");
            assertThat(broker.exitCode()).isZero();
        }
    }

    @Test
    void logIsStructuredOnRequest() throws Exception {
        try (ChildProcess broker = broker(Ports.free(), 0, "--logging.structured.format.console=ecs")) {
            List<String> lines = broker.linesUntilReady();
            assertThat(lines.subList(0, lines.size() - 1))
                    .isNotEmpty()
                    .allMatch(line -> line.startsWith("{\"@timestamp"));
        }
    }

    @Test
    void failureIsWordsAndAnExitCode() throws Exception {
        try (ChildProcess broker = broker(Ports.free(), 0, "--tributary.storage.sync=sometimes")) {
            assertThat(broker.rest())
                    .isEqualTo("tributary: could not start: "
                            + "tributary.storage.sync: 'sometimes' is not one of always, interval, os");
            assertThat(broker.exitCode()).isEqualTo(1);
        }
    }

    @Test
    void takenManagementPortIsNamed() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ChildProcess broker = broker(Ports.free(), taken.getLocalPort())) {
            assertThat(broker.rest())
                    .isEqualTo(
                            "tributary: could not start: server.port: '" + taken.getLocalPort() + "' is in use; this is"
                                    + " the port of health and metrics, and --server.port=0 picks a free one");
            assertThat(broker.exitCode()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "--server.address=192.0.2.1, server.address: '192.0.2.1' is not an address of this machine",
        "--logging.structured.format.console=json, logging.structured.format.console: 'json' is not one of ecs"
    })
    void failureOfHealthOrLogIsOneLine(String argument, String words) throws Exception {
        try (ChildProcess broker = broker(Ports.free(), 0, argument)) {
            assertThat(broker.rest().lines())
                    .singleElement()
                    .asString()
                    .startsWith("tributary: could not start: " + words);
        }
    }

    @Test
    void dataFolderInUseIsNamed() throws Exception {
        try (ChildProcess first = broker(Ports.free(), 0)) {
            first.linesUntilReady();
            try (ChildProcess second = broker(Ports.free(), 0)) {
                assertThat(second.rest())
                        .contains("could not start: tributary.data-dir: the data folder " + folder, "in use");
                assertThat(second.exitCode()).isEqualTo(1);
            }
        }
    }

    private ChildProcess broker(int port, int managementPort, String... more) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(
                "--tributary.data-dir=" + folder,
                "--tributary.listeners.tcp.port=" + port,
                "--tributary.listeners.ws.port=0",
                "--server.port=" + managementPort));
        arguments.addAll(List.of(more));
        return new ChildProcess(TributaryApplication.class, arguments.toArray(String[]::new));
    }

    private static void connectOnce(int port) {
        Mqtt5BlockingClient client = MqttClient.builder()
                .useMqttVersion5()
                .serverHost("127.0.0.1")
                .serverPort(port)
                .buildBlocking();
        client.connect();
        client.disconnect();
    }

    private static String get(int port, String endpoint) throws Exception {
        return page(port, "/actuator/" + endpoint);
    }

    private static String page(int port, String path) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            URI address = URI.create("http://127.0.0.1:" + port + path);
            return client.send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString())
                    .body();
        }
    }
}
