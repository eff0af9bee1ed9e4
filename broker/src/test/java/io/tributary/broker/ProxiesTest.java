package io.tributary.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.hivemq.client.mqtt.MqttClientSslConfig;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5Client;
import com.hivemq.client.mqtt.mqtt5.Mqtt5ClientBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tributary.broker.extension.ClientListener;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.broker.network.ListenerKind;
import io.tributary.broker.network.ProxyProtocolConfig;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.rules.AddressRange;
import io.tributary.broker.tls.OpenSslAuthority;
import io.tributary.broker.tls.OpenSslAuthority.Issued;
import io.tributary.broker.tls.TlsConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** HAProxy and NGINX, as the distribution has them, before a broker's listeners. Clients come from 127.0.0.2. */
class ProxiesTest {
    private static final String CLIENT_HOST = "127.0.0.2";
    private static final Path HAPROXY = Path.of("/usr/sbin/haproxy");
    private static final Path NGINX = Path.of("/usr/sbin/nginx");
    private static final Path NGINX_STREAM = Path.of("/usr/lib/nginx/modules/ngx_stream_module.so");

    @TempDir
    private static Path made;

    private static OpenSslAuthority authority;
    private static Issued server;
    private static Issued device;

    @TempDir
    private Path folder;

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final BlockingQueue<ClientInfo> connected = new LinkedBlockingQueue<>();
    private @Nullable Broker broker;
    private @Nullable Process proxy;

    @BeforeAll
    static void makeCertificates() {
        authority = OpenSslAuthority.in(made, "authority");
        server = authority.server("server");
        device = authority.client("pump-7");
    }

    @AfterEach
    void stop() throws InterruptedException {
        if (proxy != null) {
            proxy.destroy();
            if (!proxy.waitFor(10, TimeUnit.SECONDS)) {
                proxy.destroyForcibly();
            }
        }
        if (broker != null) {
            broker.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"send-proxy", "send-proxy-v2", "send-proxy-v2 proxy-v2-options crc32c,unique-id"})
    void haproxyHandsOnAddressOverTcpAndWebSocketAndItsChecksPass(String option) throws Exception {
        int[] ports = start(listener("tcp"), listener("ws").kind(new ListenerKind.WebSocket("/mqtt")));
        String check = " check check-send-proxy inter 200ms " + option;
        int tcp = free();
        int ws = free();
        startHaproxy("""
                frontend tcp
                  bind 127.0.0.1:%d
                  default_backend tcp
                backend tcp
                  server broker 127.0.0.1:%d%s
                frontend ws
                  bind 127.0.0.1:%d
                  default_backend ws
                backend ws
                  server broker 127.0.0.1:%d%s
                """.formatted(tcp, ports[0], check, ws, ports[1], check), tcp, ws);

        connect(hivemq(tcp));
        assertThat(address()).startsWith(CLIENT_HOST + ":");
        connect(hivemq(ws).webSocketConfig().serverPath("mqtt").applyWebSocketConfig());
        assertThat(address()).startsWith(CLIENT_HOST + ":");
        // Some more checks of both: each opens a connection, says LOCAL or UNKNOWN, and closes it.
        double opened = count("tributary.connections.opened");
        await().atMost(Duration.ofSeconds(20)).until(() -> count("tributary.connections.opened") >= opened + 6);
        connect(hivemq(tcp));
        assertThat(address()).startsWith(CLIENT_HOST + ":");
        assertThat(count("tributary.connections.refused")).isZero();
    }

    @Test
    void haproxysHeaderComesBeforeTls() throws Exception {
        int backend =
                start(listener("tls").tls(TlsConfig.builder(server.files()).build()))[0];
        int port = free();
        startHaproxy("""
                frontend tls
                  bind 127.0.0.1:%d
                  default_backend tls
                backend tls
                  server broker 127.0.0.1:%d check check-send-proxy inter 200ms send-proxy-v2
                """.formatted(port, backend), port);

        connect(overTls(port, null));

        assertThat(address()).startsWith(CLIENT_HOST + ":");
    }

    @Test
    void nameInTheCertificateThatHaproxyVerifiedIsTheClients() throws Exception {
        ProxyProtocolConfig names = new ProxyProtocolConfig(
                List.of(AddressRange.parse("127.0.0.1")), ProxyProtocolConfig.DEFAULT_TIMEOUT, true);
        int[] ports = start(listener("names").proxyProtocol(names), listener("plain"));
        Path pem = folder.resolve("server.pem");
        Files.writeString(pem, Files.readString(server.certificate()) + Files.readString(server.key()));
        int named = free();
        int plain = free();
        String frontend = """
                frontend %1$s
                  bind 127.0.0.1:%2$d ssl crt %3$s ca-file %4$s verify optional
                  default_backend %1$s
                backend %1$s
                  server broker 127.0.0.1:%5$d send-proxy-v2-ssl-cn
                """;
        startHaproxy(
                frontend.formatted("named", named, pem, authority.certificate(), ports[0])
                        + frontend.formatted("plain", plain, pem, authority.certificate(), ports[1]),
                named,
                plain);

        connect(overTls(named, device));
        assertThat(subject()).isEqualTo("CN=pump-7");
        connect(overTls(named, null));
        assertThat(subject()).as("no certificate").isNull();
        connect(overTls(plain, device));
        assertThat(subject()).as("the listener does not say so").isNull();
    }

    @Test
    void clientBesideTheProxyIsClosed() throws Exception {
        int backend = start(listener("tcp"))[0];
        Mqtt5BlockingClient beside = hivemq(backend).buildBlocking();

        assertThatThrownBy(beside::connect).isInstanceOf(RuntimeException.class);
        await().until(() -> count("tributary.connections.refused") == 1);
    }

    @Test
    void nginxHandsOnAddress() throws Exception {
        Assumptions.assumeTrue(
                Files.exists(NGINX_STREAM), NGINX_STREAM + " is missing: apt-get install nginx libnginx-mod-stream");
        int backend = start(listener("tcp"))[0];
        int port = free();
        Path config = Files.writeString(
                folder.resolve("nginx.conf"), """
                load_module %s;
                pid %s;
                error_log stderr;
                daemon off;
                events {}
                stream {
                  server {
                    listen 127.0.0.1:%d;
                    proxy_pass 127.0.0.1:%d;
                    proxy_protocol on;
                  }
                }
                """.formatted(NGINX_STREAM, folder.resolve("nginx.pid"), port, backend));
        startProxy(NGINX, List.of("-e", "stderr", "-c", config.toString(), "-p", folder.toString()), port);

        connect(hivemq(port));

        assertThat(address()).startsWith(CLIENT_HOST + ":");
    }

    private void startHaproxy(String parts, int... ports) throws IOException {
        Path config = Files.writeString(folder.resolve("haproxy.cfg"), """
                defaults
                  mode tcp
                  timeout connect 5s
                  timeout client 60s
                  timeout server 60s
                """ + parts);
        startProxy(HAPROXY, List.of("-db", "-f", config.toString()), ports);
    }

    private void startProxy(Path program, List<String> arguments, int... ports) throws IOException {
        Assumptions.assumeTrue(
                Files.isExecutable(program), program + " is missing: apt-get install " + program.getFileName());
        Path log = folder.resolve("proxy.log");
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(arguments);
        Process started = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        proxy = started;
        for (int port : ports) {
            await().atMost(Duration.ofSeconds(20)).until(() -> {
                assertThat(started.isAlive()).as("%s", Files.readString(log)).isTrue();
                return accepts(port);
            });
        }
    }

    private static boolean accepts(int port) {
        try (Socket probe = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return probe.isConnected();
        } catch (IOException none) {
            return false;
        }
    }

    private static ListenerConfig.Builder listener(String name) {
        return ListenerConfig.builder(name, 0)
                .proxyProtocol(new ProxyProtocolConfig(List.of(AddressRange.parse("127.0.0.1"))));
    }

    private int[] start(ListenerConfig.Builder... listeners) {
        BrokerExtensions noting = BrokerExtensions.builder()
                .clientListener(new ClientListener() {
                    @Override
                    public void onConnected(ClientInfo client, boolean sessionPresent) {
                        connected.add(client);
                    }
                })
                .build();
        BrokerConfig.Builder config = BrokerConfig.builder(folder.resolve("data"));
        for (ListenerConfig.Builder listener : listeners) {
            config.listener(listener.build());
        }
        Broker started = Broker.start(config.build(), noting, new BrokerMetrics(registry));
        broker = started;
        return started.listeners().stream()
                .mapToInt(one -> one.address().getPort())
                .toArray();
    }

    private static int free() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static Mqtt5ClientBuilder overTls(int port, @Nullable Issued shown) {
        return Mqtt5Client.builder()
                .transportConfig()
                .serverHost("127.0.0.1")
                .serverPort(port)
                .localAddress(CLIENT_HOST)
                .sslConfig(tls(shown))
                .applyTransportConfig();
    }

    private static Mqtt5ClientBuilder hivemq(int port) {
        return Mqtt5Client.builder()
                .transportConfig()
                .serverHost("127.0.0.1")
                .serverPort(port)
                .localAddress(CLIENT_HOST)
                .applyTransportConfig();
    }

    private static MqttClientSslConfig tls(@Nullable Issued shown) {
        return MqttClientSslConfig.builder()
                .trustManagerFactory(authority.trustManagers())
                .keyManagerFactory(shown == null ? null : shown.keyManagers())
                .build();
    }

    private static void connect(Mqtt5ClientBuilder builder) {
        Mqtt5BlockingClient client = builder.buildBlocking();
        client.connect();
        client.disconnect();
    }

    private String address() throws InterruptedException {
        return String.valueOf(next().remoteAddress());
    }

    private @Nullable String subject() throws InterruptedException {
        return next().certificateSubject();
    }

    private ClientInfo next() throws InterruptedException {
        ClientInfo client = connected.poll(20, TimeUnit.SECONDS);
        assertThat(client).isNotNull();
        return client;
    }

    private double count(String meter) {
        return registry.find(meter).functionCounters().stream()
                .mapToDouble(counter -> counter.count())
                .sum();
    }
}
