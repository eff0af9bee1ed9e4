package io.tributary.broker.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.mqtt3.Mqtt3BlockingClient;
import com.hivemq.client.mqtt.mqtt3.Mqtt3Client;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5Client;
import io.tributary.broker.Broker;
import io.tributary.broker.BrokerConfig;
import io.tributary.broker.BrokerExtensions;
import io.tributary.broker.extension.ClientListener;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.broker.security.Authenticator;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.ClientRules;
import io.tributary.broker.security.ClientRules.ClientId;
import io.tributary.broker.security.ClientRules.Condition;
import io.tributary.broker.security.ClientRules.HasUserProperty;
import io.tributary.broker.security.ClientRules.Listener;
import io.tributary.broker.security.ClientRules.Rule;
import io.tributary.broker.security.ClientRules.UserName;
import io.tributary.broker.security.TextPattern;
import io.tributary.common.event.ClientKind;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.UserProperty;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which clients are applications, as a platform that embeds the broker sees it. */
class ClientKindsTest {
    private static final ClientRules RULES = new ClientRules(List.of(
            rule(ClientKind.APPLICATION, new ClientId(TextPattern.of("app-*"))),
            rule(ClientKind.SMALL_APPLICATION, new UserName(TextPattern.of("regex:(dash|score)board"))),
            rule(ClientKind.SMALL_APPLICATION, new HasUserProperty(new UserProperty("role", "reader"))),
            rule(ClientKind.APPLICATION, new Listener("back-end"))));

    private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

    @TempDir
    private Path data;

    private Broker broker;

    @BeforeEach
    void start() {
        BrokerConfig config = BrokerConfig.builder(data)
                .listener(ListenerConfig.tcp("tcp", 0))
                .listener(ListenerConfig.tcp("back-end", 0))
                .applications(applications -> applications.rules(RULES))
                .build();
        BrokerExtensions extensions = BrokerExtensions.builder()
                .authenticator(new KnowsBetter())
                .clientListener(new Noting())
                .build();
        broker = Broker.start(config, extensions, BrokerMetrics.unregistered());
    }

    @AfterEach
    void stop() {
        broker.close();
    }

    /** Decides about two users itself, and leaves the others to the rules. */
    private static final class KnowsBetter implements Authenticator {
        @Override
        public CompletionStage<Result> authenticate(ClientInfo client, byte @Nullable [] password) {
            @Nullable
            ClientKind kind = switch (String.valueOf(client.userName())) {
                case "always-device" -> ClientKind.DEVICE;
                case "always-application" -> ClientKind.APPLICATION;
                default -> null;
            };
            return CompletableFuture.completedFuture(new Accepted(kind));
        }
    }

    private final class Noting implements ClientListener {
        @Override
        public void onConnected(ClientInfo client, boolean sessionPresent) {
            seen.add(client.clientId() + " came: " + client.kind());
        }

        @Override
        public void onDisconnected(ClientInfo client, ReasonCode reason) {
            seen.add(client.clientId() + " left: " + client.kind());
        }
    }

    @Test
    void olderClientIsWhatTheRulesSay() throws Exception {
        connect3("app-1", null, "tcp");
        assertSeen("app-1", ClientKind.APPLICATION);
        connect3("meter-1", null, "tcp");
        assertSeen("meter-1", ClientKind.DEVICE);
        connect3("wall-1", "dashboard", "tcp");
        assertSeen("wall-1", ClientKind.SMALL_APPLICATION);
        connect3("meter-2", null, "back-end");
        assertSeen("meter-2", ClientKind.APPLICATION);
    }

    @Test
    void newerClientIsWhatTheRulesSay() throws Exception {
        connect5("app-1", null, "writer");
        assertSeen("app-1", ClientKind.APPLICATION);
        connect5("meter-1", null, "writer");
        assertSeen("meter-1", ClientKind.DEVICE);
        connect5("wall-1", null, "reader");
        assertSeen("wall-1", ClientKind.SMALL_APPLICATION);
    }

    @Test
    void authenticatorsAnswerWins() throws Exception {
        connect3("app-1", "always-device", "back-end");
        assertSeen("app-1", ClientKind.DEVICE);
        connect5("meter-1", "always-application", "reader");
        assertSeen("meter-1", ClientKind.APPLICATION);
    }

    private void assertSeen(String clientId, ClientKind kind) throws InterruptedException {
        assertThat(seen.poll(10, TimeUnit.SECONDS)).isEqualTo(clientId + " came: " + kind);
        assertThat(seen.poll(10, TimeUnit.SECONDS)).isEqualTo(clientId + " left: " + kind);
    }

    private void connect3(String clientId, @Nullable String userName, String listener) {
        Mqtt3BlockingClient client = Mqtt3Client.builder()
                .identifier(clientId)
                .serverHost("127.0.0.1")
                .serverPort(port(listener))
                .buildBlocking();
        if (userName == null) {
            client.connect();
        } else {
            client.connectWith()
                    .simpleAuth()
                    .username(userName)
                    .applySimpleAuth()
                    .send();
        }
        client.disconnect();
    }

    private void connect5(String clientId, @Nullable String userName, String role) {
        Mqtt5BlockingClient client = Mqtt5Client.builder()
                .identifier(clientId)
                .serverHost("127.0.0.1")
                .serverPort(port("tcp"))
                .buildBlocking();
        var connect = client.connectWith().userProperties().add("role", role).applyUserProperties();
        if (userName != null) {
            connect = connect.simpleAuth().username(userName).applySimpleAuth();
        }
        connect.send();
        client.disconnect();
    }

    private int port(String listener) {
        return broker.listeners().stream()
                .filter(each -> each.name().equals(listener))
                .findFirst()
                .orElseThrow()
                .address()
                .getPort();
    }

    private static Rule rule(ClientKind kind, Condition condition) {
        return new Rule(List.of(condition), kind);
    }
}
