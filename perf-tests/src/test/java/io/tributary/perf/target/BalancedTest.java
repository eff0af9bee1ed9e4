package io.tributary.perf.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tributary.perf.scenario.MqttOptions;
import io.tributary.perf.scenario.MqttOptions.Wire;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BalancedTest {
    private static final Target NODES = new Target(
            "nodes",
            "1",
            Map.of(),
            addresses(1001, 1002),
            Map.of(),
            Map::of,
            _ -> {},
            () -> {},
            addresses(1081, 1082),
            false);

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({
        "round-robin, balance roundrobin",
        "least-connections, balance leastconn",
        "least-response-time, use-server %[lua.least_response_time] if TRUE",
        "hybrid, use-server %[lua.hybrid] if TRUE",
        "client-identifier, balance hash var(txn.client)"
    })
    void namesPolicyAndEachNodeWhenConfigured(String word, String line) {
        String text = Proxy.HAPROXY.configuration(Balancing.of(word), 1000, NODES, directory);
        assertThat(text.lines().map(String::strip))
                .contains(
                        "mode tcp",
                        "bind 127.0.0.1:1000",
                        line,
                        "server n1 127.0.0.1:1001",
                        "server n2 127.0.0.1:1002");
    }

    @Test
    void asksEachNodeForItsLoadWhenPolicyIsLoad() {
        String text = Proxy.HAPROXY.configuration(Balancing.LOAD, 1000, NODES, directory);
        assertThat(text.lines().map(String::strip))
                .contains(
                        "balance leastconn",
                        "default-server weight 100 agent-check agent-inter 2s",
                        "server n1 127.0.0.1:1001 agent-addr 127.0.0.1 agent-port 1081",
                        "server n2 127.0.0.1:1002 agent-addr 127.0.0.1 agent-port 1082");
    }

    @ParameterizedTest
    @CsvSource({"round-robin, ''", "least-connections, least_conn;"})
    void namesPolicyAndEachNodeWhenProxyIsNginx(String word, String line) {
        String text = Proxy.NGINX.configuration(Balancing.of(word), 1000, NODES, directory);
        assertThat(text.lines().map(String::strip))
                .contains(
                        "listen 127.0.0.1:1000 backlog=4096;",
                        line,
                        "server 127.0.0.1:1001;",
                        "server 127.0.0.1:1002;");
        assertThat(text.chars().filter(c -> c == '{').count())
                .isEqualTo(text.chars().filter(c -> c == '}').count());
    }

    @ParameterizedTest
    @CsvSource({"round-robin, 0", "least-connections, 0", "least-response-time, 1", "hybrid, 1", "client-identifier, 0"
    })
    void asksNodesWhenPolicyNeedsTheirAnswers(String word, int times) {
        String text = Proxy.HAPROXY.configuration(Balancing.of(word), 1000, NODES, directory);
        assertThat(text.lines().map(String::strip).filter("default-server check inter 500ms"::equals))
                .hasSize(times);
        assertThat(text.lines().map(String::strip).filter(line -> line.startsWith("lua-load ")))
                .hasSize(times);
    }

    @Test
    void refusesUserNamesWhenProxyAsksNodes() {
        MqttOptions named = new MqttOptions(
                "3.1.1", Wire.TCP, "/mqtt", Duration.ZERO, 65_535, "user", "secret", null, null, null, false);
        TargetContext context = new TargetContext(Path.of("tributary"), directory, directory, named, Map.of());
        assertThatExceptionOfType(TargetException.class)
                .isThrownBy(() -> Targets.start("haproxy:hybrid:3:mosquitto", context, Map.of()))
                .withMessageStartingWith("the policy hybrid asks nodes by MQTT over TCP, without a user name");
    }

    @Test
    void saysWhoHasPolicyWhenNginxHasNot() {
        assertThatExceptionOfType(TargetException.class)
                .isThrownBy(() -> Proxy.NGINX.configuration(Balancing.CLIENT_IDENTIFIER, 1000, NODES, directory))
                .withMessage("NGINX has no policy client-identifier here, HAProxy has: haproxy:client-identifier:...");
    }

    @ParameterizedTest
    @ValueSource(strings = {"cluster:0", "cluster:3,kafka=2", "cluster:3,redis=", "cluster:10"})
    void saysThatThereIsNoSuchDirectoryWhenSizesAreWrong(String words) {
        assertThatExceptionOfType(TargetException.class)
                .isThrownBy(() -> Targets.start(words, context(), Map.of()))
                .withMessageContaining("there is no such directory, and sizes are NODES[,kafka=1|3|5][,redis=N]");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "haproxy:round-robin",
                "haproxy:round-robin:0",
                "haproxy:round-robin:3:4",
                "nginx:round-robin:3:nats"
            })
    void saysHowItIsWrittenWhenWordsAreWrong(String words) {
        assertThatExceptionOfType(TargetException.class)
                .isThrownBy(() -> Targets.start(words, context(), Map.of()))
                .withMessageContaining("POLICY:NODES:mosquitto; NODES is 1 to 9, POLICY one of")
                .withMessageContaining(
                        "round-robin, least-connections, least-response-time, hybrid, load, client-identifier");
    }

    @Test
    void saysWhichPoliciesThereAreWhenThereIsNoSuchPolicy() {
        assertThatExceptionOfType(TargetException.class)
                .isThrownBy(() -> Targets.start("haproxy:by-luck:3", context(), Map.of()))
                .withMessageContaining("'by-luck'")
                .withMessageContaining("least-connections");
    }

    private static List<InetSocketAddress> addresses(Integer... ports) {
        return Stream.of(ports)
                .map(port -> new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                .toList();
    }

    static MqttOptions plain() {
        return new MqttOptions("3.1.1", Wire.TCP, "/mqtt", Duration.ZERO, 65_535, null, null, null, null, null, false);
    }

    private TargetContext context() {
        return new TargetContext(Path.of("tributary"), directory, directory, plain(), Map.of());
    }
}
