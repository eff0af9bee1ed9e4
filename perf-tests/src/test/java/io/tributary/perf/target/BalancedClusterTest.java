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

class BalancedClusterTest {
    private static final List<InetSocketAddress> NODES = Stream.of(1001, 1002)
            .map(port -> new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
            .toList();

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({
        "round-robin, balance roundrobin",
        "least-connections, balance leastconn",
        "client-identifier, balance hash var(txn.client)"
    })
    void namesPolicyAndEachNodeWhenConfigured(String word, String line) {
        String text = new BalancedCluster(Balancing.of(word), 2).configuration(1000, NODES);
        assertThat(text.lines().map(String::strip))
                .contains(
                        "mode tcp",
                        "bind 127.0.0.1:1000",
                        line,
                        "server n1 127.0.0.1:1001",
                        "server n2 127.0.0.1:1002");
    }

    @ParameterizedTest
    @ValueSource(strings = {"haproxy:round-robin", "haproxy:round-robin:0", "haproxy:round-robin:3:4"})
    void saysHowItIsWrittenWhenWordsAreWrong(String words) {
        assertThatExceptionOfType(TargetException.class)
                .isThrownBy(() -> Targets.start(words, context(), Map.of()))
                .withMessageContaining("haproxy:POLICY:NODES")
                .withMessageContaining("round-robin, least-connections, client-identifier");
    }

    @Test
    void saysWhichPoliciesThereAreWhenThereIsNoSuchPolicy() {
        assertThatExceptionOfType(TargetException.class)
                .isThrownBy(() -> Targets.start("haproxy:by-luck:3", context(), Map.of()))
                .withMessageContaining("'by-luck'")
                .withMessageContaining("least-connections");
    }

    private static MqttOptions plain() {
        return new MqttOptions("3.1.1", Wire.TCP, "/mqtt", Duration.ZERO, 65_535, null, null, null, null, null, false);
    }

    private TargetContext context() {
        return new TargetContext(Path.of("tributary"), directory, directory, plain(), Map.of());
    }
}
