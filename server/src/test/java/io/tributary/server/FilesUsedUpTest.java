package io.tributary.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.localcluster.Ports;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A broker that may open few files, and more clients than that. */
@EnabledOnOs(OS.LINUX)
class FilesUsedUpTest {
    private static final int LIMIT = 400;

    /** MQTT 3.1.1, without a client identifier. */
    private static final byte[] CONNECT = HexFormat.of().parseHex("100c00044d5154540402003c0000");

    @TempDir
    Path folder;

    @Test
    @Timeout(180)
    void lackOfFileDescriptorsIsSaidOnceAndEndsWithIt() throws Exception {
        int port = Ports.free();
        int managementPort = Ports.free();
        try (ChildProcess broker = ChildProcess.withOpenFiles(
                LIMIT,
                TributaryApplication.class,
                "--tributary.data-dir=" + folder,
                "--tributary.listeners.tcp.port=" + port,
                "--tributary.listeners.ws.port=0",
                "--server.port=" + managementPort)) {
            assertThat(broker.linesUntilReady()).anyMatch(line -> line.contains("the limit of open files is " + LIMIT));
            loadClasses(port, managementPort);
            List<Socket> clients = connect(port, LIMIT, CONNECT);
            broker.awaitLine("no file descriptors left (limit " + LIMIT + ")");
            for (Socket client : clients) {
                client.close();
            }
            await().atMost(Duration.ofMinutes(1)).ignoreExceptions().untilAsserted(() -> {
                assertThat(get(managementPort, "health/readiness"))
                        .contains("\"UP\"", "no file descriptors left (limit " + LIMIT + ")");
                assertThat(get(managementPort, "prometheus"))
                        .containsPattern("tributary_connections_unaccepted_total\\{listener=\"tcp\"} [1-9]")
                        .contains("tributary_connections_opened_total{listener=\"tcp\"} " + (LIMIT + 1) + ".0");
            });
            broker.signal("TERM");
            assertThat(broker.rest()).doesNotContain("exceptionCaught", "no file descriptors left");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "10"})
    @Timeout(180)
    void connectionsWithoutConnectLeaveFilesToOthers(String sent) throws Exception {
        int port = Ports.free();
        int limit = 1_000;
        try (ChildProcess broker = ChildProcess.withOpenFiles(
                limit,
                TributaryApplication.class,
                "--tributary.data-dir=" + folder,
                "--tributary.limits.connect.timeout=5m",
                "--tributary.listeners.tcp.port=" + port,
                "--tributary.listeners.ws.port=0",
                "--server.port=0")) {
            broker.linesUntilReady();
            List<Socket> strangers = connect(port, limit, HexFormat.of().parseHex(sent));
            Socket good = connect(port, 1, CONNECT).getFirst();
            good.setSoTimeout(30_000);
            assertThat(HexFormat.of().formatHex(good.getInputStream().readNBytes(4)))
                    .isEqualTo("20020000");
            for (Socket stranger : strangers) {
                stranger.close();
            }
            good.close();
            broker.signal("TERM");
            assertThat(broker.rest()).doesNotContain("no file descriptors left");
        }
    }

    /** They are files of their own in a test, unlike in a jar that is open. */
    private static void loadClasses(int port, int managementPort) throws Exception {
        try (Socket client = connect(port, 1, CONNECT).getFirst()) {
            client.setSoTimeout(30_000);
            assertThat(client.getInputStream().read()).isPositive();
        }
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(get(managementPort, "prometheus"))
                        .contains("tributary_connections_closed_total{listener=\"tcp\"} 1.0"));
    }

    /** The system takes them, whether the broker accepts them or not. */
    private static List<Socket> connect(int port, int count, byte[] sent) throws IOException {
        List<Socket> clients = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Socket client = new Socket(InetAddress.getLoopbackAddress(), port);
            client.getOutputStream().write(sent);
            clients.add(client);
        }
        return clients;
    }

    private static String get(int port, String endpoint) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            URI address = URI.create("http://127.0.0.1:" + port + "/actuator/" + endpoint);
            HttpRequest request = HttpRequest.newBuilder(address)
                    .timeout(Duration.ofSeconds(10))
                    .build();
            return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
        }
    }
}
