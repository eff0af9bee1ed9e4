package io.tributary.broker.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.broker.connection.Extensions;
import io.tributary.broker.connection.FakeBackend;
import io.tributary.broker.connection.FakeServices;
import io.tributary.broker.extension.ClientListener;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.ClientRules;
import io.tributary.broker.security.rules.AddressRange;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A listener with the PROXY protocol, and sockets that play the proxy. */
class ProxyProtocolTest {
    private static final String LINE = "PROXY TCP4 203.0.113.7 192.0.2.1 51234 1883\r\n";
    private static final String SIGNATURE = "0d0a0d0a000d0a515549540a";
    private static final byte[] TO_203_0_113_7 =
            HexFormat.of().parseHex(SIGNATURE + "2111000c" + "cb007107" + "c0000201" + "c822" + "075b");
    private static final byte[] LOCAL = HexFormat.of().parseHex(SIGNATURE + "20000000");

    private final BlockingQueue<ClientInfo> connected = new LinkedBlockingQueue<>();
    private final BlockingQueue<EntryRefusal> refused = new LinkedBlockingQueue<>();
    private final FakeBackend backend = new FakeBackend();
    private @Nullable Listeners listeners;

    @AfterEach
    void close() {
        if (listeners != null) {
            listeners
                    .close(0, Duration.ofSeconds(1), null, Duration.ofSeconds(1))
                    .toCompletableFuture()
                    .join();
        }
    }

    @Test
    void clientHasTheAddressThatTheHeaderSays() throws Exception {
        int port = start("127.0.0.0/8", Duration.ofSeconds(5));
        assertThat(addressAfter(port, LINE.getBytes(StandardCharsets.US_ASCII))).isEqualTo("203.0.113.7:51234");
        assertThat(addressAfter(port, TO_203_0_113_7)).isEqualTo("203.0.113.7:51234");
        assertThat(refused).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"PROXY UNKNOWN\r\n", ""})
    void clientHasTheProxysAddressWhenTheHeaderSaysNone(String line) throws Exception {
        int port = start("127.0.0.1", Duration.ofSeconds(5));
        assertThat(addressAfter(port, line.isEmpty() ? LOCAL : line.getBytes(StandardCharsets.US_ASCII)))
                .startsWith("127.0.0.1:");
    }

    @Test
    void headerMayComeByteByByte() throws Exception {
        int port = start("127.0.0.1", Duration.ofSeconds(5));
        try (Socket proxy = open(port)) {
            for (byte each : TO_203_0_113_7) {
                proxy.getOutputStream().write(each);
            }
            proxy.getOutputStream().write(Packets.bytes(Packets.connect("c")));
            assertThat(address()).isEqualTo("203.0.113.7:51234");
        }
    }

    @Test
    void connectionIsClosedWhenItIsOfNoProxy() throws Exception {
        int port = start("192.0.2.0/24", Duration.ofSeconds(5));
        assertRefused(port, TO_203_0_113_7, EntryRefusal.PROXY_UNTRUSTED);
        assertRefused(port, Packets.bytes(Packets.connect("c")), EntryRefusal.PROXY_UNTRUSTED);
    }

    @Test
    void connectionIsClosedWhenNoHeaderComesInTime() throws Exception {
        int port = start("127.0.0.1", Duration.ofMillis(200));
        assertRefused(port, new byte[0], EntryRefusal.PROXY_TIMEOUT);
        assertRefused(port, HexFormat.of().parseHex(SIGNATURE + "2111000ccb00"), EntryRefusal.PROXY_TIMEOUT);
    }

    @Test
    void connectionIsClosedWhenItBeginsWithNoHeaderOrALongOne() throws Exception {
        int port = start("127.0.0.1", Duration.ofSeconds(30));
        assertRefused(port, Packets.bytes(Packets.connect("c")), EntryRefusal.PROXY_MALFORMED);
        assertRefused(port, "PROXY TCP9 \r\n".getBytes(StandardCharsets.US_ASCII), EntryRefusal.PROXY_MALFORMED);
        assertRefused(port, HexFormat.of().parseHex(SIGNATURE + "21111000"), EntryRefusal.PROXY_TOO_LARGE);
    }

    /** A header in the place of MQTT is none at a listener without the protocol. */
    @Test
    void headerNamesNobodyWhenListenerDoesNotTakeIt() throws Exception {
        int port = start(ListenerConfig.tcp("test", 0));
        assertRefused(port, TO_203_0_113_7, null);
        assertThat(connected).isEmpty();
    }

    private void assertRefused(int port, byte[] sent, @Nullable EntryRefusal reason) throws Exception {
        try (Socket client = open(port)) {
            client.getOutputStream().write(sent);
            awaitEnd(client.getInputStream());
        }
        assertThat(reason == null ? refused.peek() : refused.poll(10, TimeUnit.SECONDS))
                .isEqualTo(reason);
    }

    private static void awaitEnd(InputStream in) {
        try {
            assertThat(in.read()).isEqualTo(-1);
        } catch (IOException reset) {
            assertThat(reset).hasMessageContaining("reset");
        }
    }

    private String addressAfter(int port, byte[] header) throws Exception {
        try (Socket proxy = open(port)) {
            byte[] connect = Packets.bytes(Packets.connect("c"));
            byte[] both = new byte[header.length + connect.length];
            System.arraycopy(header, 0, both, 0, header.length);
            System.arraycopy(connect, 0, both, header.length, connect.length);
            proxy.getOutputStream().write(both);
            assertThat(proxy.getInputStream().read()).isEqualTo(0x20); // CONNACK
            return address();
        } finally {
            await().until(() -> backend.detached() > 0);
        }
    }

    private String address() throws InterruptedException {
        ClientInfo client = connected.poll(10, TimeUnit.SECONDS);
        assertThat(client).isNotNull();
        return String.valueOf(client.remoteAddress());
    }

    private static Socket open(int port) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(20_000);
        return socket;
    }

    private int start(String trusted, Duration timeout) {
        return start(ListenerConfig.builder("test", 0)
                .proxyProtocol(new ProxyProtocolConfig(List.of(AddressRange.parse(trusted)), timeout, false))
                .build());
    }

    private int start(ListenerConfig config) {
        Extensions noting = new Extensions(Extensions.NONE.subscriptions(), List.of(new ClientListener() {
            @Override
            public void onConnected(ClientInfo client, boolean sessionPresent) {
                connected.add(client);
            }
        }));
        NetworkRecorder counting = new NetworkRecorder() {
            @Override
            public void refused(String listener, EntryRefusal reason) {
                refused.add(reason);
            }
        };
        listeners = new Listeners(
                List.of(config),
                NetworkConfig.DEFAULT,
                FakeServices.on(backend, ClientRules.NONE, noting),
                backend.target,
                counting);
        return listeners.start().getFirst().address().getPort();
    }
}
