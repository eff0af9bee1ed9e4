package io.tributary.server.blackbox.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.hivemq.client.mqtt.MqttClientSslConfig;
import com.hivemq.client.mqtt.MqttClientState;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt3.Mqtt3Client;
import com.hivemq.client.mqtt.mqtt3.exceptions.Mqtt3ConnAckException;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5Client;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5ConnAckException;
import com.hivemq.client.mqtt.mqtt5.message.connect.Mqtt5Connect;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpServer;
import com.unboundid.ldap.listener.InMemoryDirectoryServer;
import com.unboundid.ldap.listener.InMemoryDirectoryServerConfig;
import com.unboundid.ldap.listener.InMemoryListenerConfig;
import io.tributary.broker.blackbox.Scratch;
import io.tributary.broker.tls.OpenSslAuthority;
import io.tributary.broker.tls.OpenSslAuthority.Issued;
import io.tributary.localcluster.Ports;
import io.tributary.server.blackbox.BrokerExtension;
import io.tributary.server.blackbox.BrokerProcess;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.HexFormat;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A broker that was started with authenticators, and clients that others wrote. */
@ExtendWith(BrokerExtension.class)
class AuthenticationTest {
    private static final String TOKEN = "c0ffee00d15ea5e0c0ffee00d15ea5e0c0ffee00d15ea5e0c0ffee00d15ea5e0";
    private static final String JWT_SECRET = "a-shared-secret-of-this-test-of-32-bytes-or-more";
    private static final String SERVICE_TOKEN = "token-that-the-service-wants-to-see";
    private static final String SEARCH_PASSWORD = "password-of-who-searches-the-directory";

    /** Of "password-of-alice", by argon2-cffi. */
    private static final String ALICE =
            "$argon2id$v=19$m=19456,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$a5aei+rnvF0QypoJQ7t1/73tRDDyOUGso6knD29bSV0";

    /** Of "pencil", by Python's hashlib. */
    private static final String SCRAM =
            "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=";

    private static BrokerProcess broker;
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final int DIRECTORY_PORT = Ports.free();
    private static final int TLS_PORT = Ports.free();
    private static OpenSslAuthority authority;
    private static InMemoryDirectoryServer directory;
    private static HttpServer service;
    private static Path folder;

    @BeforeAll
    static void start() throws Exception {
        folder = Scratch.folder("authentication");
        Files.createDirectories(folder);
        authority = OpenSslAuthority.in(folder, "authority");
        service = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
        service.createContext("/", exchange -> {
            String question = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
            boolean shown = ("Bearer " + SERVICE_TOKEN)
                    .equals(exchange.getRequestHeaders().getFirst("Authorization"));
            String result = !shown || !question.contains("\"userName\":\"service-")
                    ? "not-mine"
                    : question.contains("\"password\":\"password-of-the-service\"") ? "accept" : "refuse";
            byte[] answer = ("{\"result\":\"" + result + "\",\"name\":\"bob\"}").getBytes(UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(answer);
            }
        });
        service.start();
        directory = startDirectory();
        broker = BrokerProcess.start(folder.resolve("data"), List.of("-Xmx256m"), settings());
    }

    @AfterAll
    static void stop() {
        broker.close();
        service.stop(0);
        directory.shutDown(true);
    }

    @Test
    void passwordAndTokenOfAFileLetInAndNothingElseDoes() {
        assertThat(connect5("alice", "password-of-alice")).isEqualTo(0);
        assertThat(connect5("alice", "password-of-alice")).isEqualTo(0); // remembered
        assertThat(connect5("alice", "password-of-malice")).isEqualTo(0x86);
        assertThat(connect5("alice", TOKEN)).isEqualTo(0x86);
        assertThat(connect5("meter", TOKEN)).isEqualTo(0);
        assertThat(connect5("meter", "wrong-password-of-meter")).isEqualTo(0x86);
        assertThat(connect5("nobody", "password-of-nobody")).isEqualTo(0x86);
        assertThat(connect5(null, null)).isEqualTo(0x87);
        assertThat(connect5("alice", null)).isEqualTo(0x87);
        assertThat(connect3("alice", "password-of-alice")).isEqualTo(0);
        assertThat(connect3("alice", "password-of-malice")).isEqualTo(4);
    }

    @Test
    void certificateOfTheListenersAuthorityLetsInAndNoneDoesNot() {
        assertThat(connectTls(authority.client("meter-1"))).isEqualTo(0);
        assertThat(connectTls(authority.client("pump-1"))).isEqualTo(0x87);
        assertThat(connectTls(null)).isEqualTo(0x87);
    }

    @Test
    void serviceAndDirectoryLetInWhomTheyKnow() {
        assertThat(connect5("service-bob", "password-of-the-service")).isEqualTo(0);
        assertThat(connect5("service-bob", "password-of-the-servant")).isEqualTo(0x86);
        assertThat(connect5("ann", "password-of-ann")).isEqualTo(0);
        assertThat(connect5("ann", "password-of-annabel")).isEqualTo(0x86);
        assertThat(connect5("ann)(uid=*", "password-of-ann")).isEqualTo(0x86);
    }

    @Test
    void backEndThatIsNotThereIsANoForNow() {
        assertThat(connect5(broker.webSocketPort(), true, "anybody", "password-of-anybody"))
                .isEqualTo(0x88);
    }

    @Test
    void clientIsDisconnectedAndItsWillPublishedWhenItsTokenEnds() throws Exception {
        Mqtt5BlockingClient watcher = client("watcher", broker.tcpPort());
        watcher.connect(login("alice", "password-of-alice"));
        CompletableFuture<String> will = new CompletableFuture<>();
        watcher.toAsync()
                .subscribeWith()
                .topicFilter("wills/#")
                .callback(publish -> will.complete(new String(publish.getPayloadAsBytes(), UTF_8)))
                .send()
                .get(20, TimeUnit.SECONDS);

        Mqtt5BlockingClient brief = client("brief", broker.tcpPort());
        brief.connect(Mqtt5Connect.builder()
                .simpleAuth()
                .username("anything")
                .password(token("7", Instant.now().plusSeconds(4)).getBytes(UTF_8))
                .applySimpleAuth()
                .willPublish()
                .topic("wills/brief")
                .qos(MqttQos.AT_LEAST_ONCE)
                .payload("gone".getBytes(UTF_8))
                .applyWillPublish()
                .build());
        assertThat(will.get(60, TimeUnit.SECONDS)).isEqualTo("gone");
        await().atMost(PATIENCE).until(() -> brief.getState() == MqttClientState.DISCONNECTED);
        assertThat(connect5("anything", token("7", Instant.now().minusSeconds(1))))
                .isEqualTo(0x87);
        watcher.disconnect();
    }

    @Test
    void clientProvesItsPasswordByScramAndAgainWhileItIsConnected() {
        ScramMechanism right = new ScramMechanism("SCRAM-SHA-256", "user", "pencil");
        Mqtt5BlockingClient client = client("scram", broker.tcpPort());
        client.connect(Mqtt5Connect.builder().enhancedAuth(right).build());
        client.toAsync().reauth().join();
        await().atMost(PATIENCE).until(() -> right.authenticatedAgain() == 1);
        assertThat(client.getState()).isEqualTo(MqttClientState.CONNECTED);
        client.disconnect();

        ScramMechanism wrong = new ScramMechanism("SCRAM-SHA-256", "user", "password-that-is-no-pencil");
        assertThat(code(
                        client("scram", broker.tcpPort()),
                        Mqtt5Connect.builder().enhancedAuth(wrong).build()))
                .isEqualTo(0x87);
        ScramMechanism elsewhere = new ScramMechanism("SCRAM-SHA-512", "user", "pencil");
        Mqtt5BlockingClient other = Mqtt5Client.builder()
                .serverHost("127.0.0.1")
                .serverPort(broker.webSocketPort())
                .webSocketConfig()
                .serverPath("mqtt")
                .applyWebSocketConfig()
                .buildBlocking();
        assertThat(code(other, Mqtt5Connect.builder().enhancedAuth(elsewhere).build()))
                .isEqualTo(0x8c);
    }

    @Test
    void secretsAreNeitherInTheLogNorInMetricsNorInSysAndRefusalsAreCounted() throws Exception {
        Mqtt5BlockingClient watcher = client("sys-watcher", broker.tcpPort());
        watcher.connect(login("alice", "password-of-alice"));
        Queue<String> statistics = new ConcurrentLinkedQueue<>();
        watcher.toAsync()
                .subscribeWith()
                .topicFilter("$SYS/#")
                .callback(one -> statistics.add(one.getTopic() + " " + new String(one.getPayloadAsBytes(), UTF_8)))
                .send()
                .get(20, TimeUnit.SECONDS);
        connect5("alice", "password-of-alice");
        connect5("alice", "password-of-malice");
        connect5("meter", TOKEN);
        connect5("service-bob", "password-of-the-service");
        connect5("ann", "password-of-ann");
        String ended = token("7", Instant.now().minusSeconds(1));
        connect5("x", ended);
        connect5(broker.webSocketPort(), true, "anybody", "password-of-anybody");
        String metrics = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(
                                        URI.create("http://127.0.0.1:" + broker.httpPort() + "/actuator/prometheus"))
                                .build(),
                        BodyHandlers.ofString())
                .body();
        assertThat(metrics)
                .contains("tributary_authentications_total{authenticator=\"users\",outcome=\"accepted\"}")
                .contains("tributary_authentications_total{authenticator=\"users\",outcome=\"refused\"}")
                .contains("tributary_authentications_total{authenticator=\"gone\",outcome=\"unavailable\"}");
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(Files.readString(broker.log()))
                        .contains("is refused by 'users': wrong password")
                        .contains("is refused by 'platform': the token has ended")
                        .contains("authenticator 'gone' failed"));
        statistics.clear();
        await().atMost(PATIENCE).until(() -> uptimes(statistics) >= 2); // a whole round of them is from after that
        watcher.disconnect();
        for (String text : List.of(metrics, Files.readString(broker.log()), String.join("\n", statistics))) {
            assertThat(text)
                    .doesNotContain("password-of")
                    .doesNotContain(TOKEN)
                    .doesNotContain(JWT_SECRET)
                    .doesNotContain(SERVICE_TOKEN)
                    .doesNotContain(ended)
                    .doesNotContain(ALICE)
                    .doesNotContain(SCRAM);
        }
    }

    private static long uptimes(Queue<String> statistics) {
        return statistics.stream()
                .filter(one -> one.startsWith("$SYS/broker/uptime "))
                .count();
    }

    private static List<String> settings() throws Exception {
        Path users = Files.writeString(folder.resolve("users.yaml"), """
                users:
                  alice: {password: "%s", groups: [people]}
                  meter: {tokens: ["%s"]}
                """.formatted(ALICE, sha256(TOKEN)));
        Path scram = Files.writeString(folder.resolve("scram.yaml"), "users: {user: {scram: [\"" + SCRAM + "\"]}}\n");
        Issued server = authority.server("server");
        String of = "--tributary.security.authenticators.";
        return List.of(
                "--tributary.sys.interval=1s",
                "--tributary.listeners.tls.port=" + TLS_PORT,
                "--tributary.listeners.tls.authentication=certificates",
                "--tributary.listeners.tls.tls.certificate=" + server.certificate(),
                "--tributary.listeners.tls.tls.private-key=" + server.key(),
                "--tributary.listeners.tls.tls.client-certificates=want",
                "--tributary.listeners.tls.tls.authorities=" + authority.certificate(),
                of + "certificates.kind=x509",
                of + "certificates.pattern=meter-*",
                "--tributary.listeners.tcp.authentication=users,platform,service,directory,scram",
                "--tributary.listeners.ws.authentication=gone,users",
                of + "users.kind=file",
                of + "users.file=" + users,
                of + "platform.kind=jwt",
                of + "platform.secret-file=" + secret("jwt", JWT_SECRET),
                of + "service.kind=http",
                of + "service.url=http://127.0.0.1:" + service.getAddress().getPort() + "/who",
                of + "service.secret-file=" + secret("service", SERVICE_TOKEN),
                of + "gone.kind=http",
                of + "gone.url=http://127.0.0.1:" + Ports.free() + "/who",
                of + "scram.kind=scram",
                of + "scram.file=" + scram,
                of + "directory.kind=ldap",
                of + "directory.url=ldap://127.0.0.1:" + DIRECTORY_PORT,
                of + "directory.search.base=dc=acme",
                of + "directory.search.user=cn=broker,dc=acme",
                of + "directory.search.password-file=" + secret("directory", SEARCH_PASSWORD),
                "--logging.level.io.tributary=trace",
                "--logging.level.org.springframework.boot=debug");
    }

    private static InMemoryDirectoryServer startDirectory() throws Exception {
        InMemoryDirectoryServerConfig config = new InMemoryDirectoryServerConfig("dc=acme");
        config.setSchema(null);
        config.addAdditionalBindCredentials("cn=broker,dc=acme", SEARCH_PASSWORD);
        config.setListenerConfigs(InMemoryListenerConfig.createLDAPConfig("ldap", DIRECTORY_PORT));
        InMemoryDirectoryServer started = new InMemoryDirectoryServer(config);
        started.startListening();
        started.add("dn: dc=acme", "objectClass: domain", "dc: acme");
        started.add("dn: uid=ann,dc=acme", "objectClass: inetOrgPerson", "uid: ann", "userPassword: password-of-ann");
        return started;
    }

    private static Path secret(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        return Files.writeString(file, text + "\n");
    }

    private static int connect5(@Nullable String user, @Nullable String password) {
        return connect5(broker.tcpPort(), false, user, password);
    }

    private static int connectTls(@Nullable Issued certificate) {
        Mqtt5BlockingClient client = Mqtt5Client.builder()
                .serverHost("127.0.0.1")
                .serverPort(TLS_PORT)
                .sslConfig(MqttClientSslConfig.builder()
                        .keyManagerFactory(certificate == null ? null : certificate.keyManagers())
                        .trustManagerFactory(authority.trustManagers())
                        .build())
                .buildBlocking();
        int code = code(client, login(null, null));
        if (code == 0) {
            client.disconnect();
        }
        return code;
    }

    /** The code of CONNACK. */
    private static int connect5(int port, boolean webSocket, @Nullable String user, @Nullable String password) {
        var builder = Mqtt5Client.builder().serverHost("127.0.0.1").serverPort(port);
        Mqtt5BlockingClient client = webSocket
                ? builder.webSocketConfig()
                        .serverPath("mqtt")
                        .applyWebSocketConfig()
                        .buildBlocking()
                : builder.buildBlocking();
        int code = code(client, login(user, password));
        if (code == 0) {
            client.disconnect();
        }
        return code;
    }

    private static int code(Mqtt5BlockingClient client, Mqtt5Connect connect) {
        try {
            return client.connect(connect).getReasonCode().getCode();
        } catch (Mqtt5ConnAckException refused) {
            assertThat(refused.getMqttMessage()
                            .getReasonString()
                            .map(Object::toString)
                            .orElse("not authenticated"))
                    .isIn("not authenticated", "authentication method is not supported");
            return refused.getMqttMessage().getReasonCode().getCode();
        }
    }

    private static Mqtt5Connect login(@Nullable String user, @Nullable String password) {
        if (user == null) {
            return Mqtt5Connect.builder().build();
        }
        var login = Mqtt5Connect.builder().simpleAuth().username(user);
        return password == null
                ? login.applySimpleAuth().build()
                : login.password(password.getBytes(UTF_8)).applySimpleAuth().build();
    }

    private static int connect3(String user, String password) {
        var client = Mqtt3Client.builder()
                .serverHost("127.0.0.1")
                .serverPort(broker.tcpPort())
                .simpleAuth()
                .username(user)
                .password(password.getBytes(UTF_8))
                .applySimpleAuth()
                .buildBlocking();
        try {
            int code = client.connect().getReturnCode().getCode();
            client.disconnect();
            return code;
        } catch (Mqtt3ConnAckException refused) {
            return refused.getMqttMessage().getReturnCode().getCode();
        }
    }

    private static Mqtt5BlockingClient client(String identifier, int port) {
        return Mqtt5Client.builder()
                .identifier(identifier)
                .serverHost("127.0.0.1")
                .serverPort(port)
                .buildBlocking();
    }

    private static String token(String subject, Instant end) throws JOSEException {
        JWTClaimsSet claims = new JWTClaimsSet.Builder()
                .subject(subject)
                .expirationTime(Date.from(end))
                .build();
        SignedJWT token = new SignedJWT(new JWSHeader(JWSAlgorithm.HS256), claims);
        token.sign(new MACSigner(JWT_SECRET.getBytes(UTF_8)));
        return token.serialize();
    }

    private static String sha256(String text) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8)));
    }
}
