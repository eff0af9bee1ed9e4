package io.tributary.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

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
                    HttpRequest probe = HttpRequest.newBuilder(
                                    URI.create("http://127.0.0.1:" + port + "/actuator/health/liveness"))
                            .timeout(PATIENCE)
                            .build();
                    HttpResponse<String> answer = client.send(probe, BodyHandlers.ofString());
                    assertThat(answer.statusCode()).isEqualTo(200);
                }
            } finally {
                for (Socket socket : held) {
                    socket.close();
                }
            }
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
