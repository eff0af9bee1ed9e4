package io.tributary.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UnknownVariablesTest {

    @ParameterizedTest
    @CsvSource({
        "TRIBUTARY_STORAGE_SINC, always",
        "TRIBUTARY_STORAGE, always",
        "TRIBUTARY_LISTENER_TCP_PORT, 1883",
        "TRIBUTARY_DATADIRECTORY, /data",
        "TRIBUTARY_APPLICATIONS_RULES_CLIENTID, a",
        "TRIBUTARY_, x"
    })
    void variableThatMeansNothingIsFound(String name, String value) {
        assertThat(UnknownVariables.find(Map.of(name, value))).containsExactly(name);
    }

    @ParameterizedTest
    @CsvSource({
        "TRIBUTARY_STORAGE_SYNC, always",
        "TRIBUTARY_DATADIR, /data",
        "TRIBUTARY_DATA_DIR, /data",
        "TRIBUTARY_LISTENERS_TCP_PORT, 1883",
        "TRIBUTARY_LISTENERS_PLANT_LIMITS_PACKETS_MAXSIZE, 1MB",
        "TRIBUTARY_APPLICATIONS_RULES_0_CLIENTID, a",
        "TRIBUTARY_APPLICATIONS_RULES_1_CLIENTID, a",
        "TRIBUTARY_APPLICATIONS_RULES_12_KIND, device",
        "TRIBUTARY_CLUSTER_KAFKA_CLIENTPROPERTIES_SSL_PROTOCOL, TLSv1.3",
        "TRIBUTARY_JAVA_HOME, /opt/jdk",
        "TRIBUTARY_JAVA_OPTS, -Xmx1g",
        "TRIBUTARY_PERF_OPTS, -Xmx1g",
        "TRIBUTARY_SERVICE_HOST, 10.0.0.1",
        "TRIBUTARY_SERVICE_PORT, 1883",
        "TRIBUTARY_SERVICE_PORT_MQTT, 1883",
        "TRIBUTARY_PORT, tcp://10.0.0.1:1883",
        "TRIBUTARY_PORT_1883_TCP, tcp://10.0.0.1:1883",
        "TRIBUTARY_PORT_1883_TCP_ADDR, 10.0.0.1",
        "TRIBUTARY_HEADLESS_PORT, tcp://10.0.0.1:1883",
        "TRIBUTARYX, x",
        "PATH, /bin"
    })
    void settingAndWhatOthersSetAreLeftAlone(String name, String value) {
        assertThat(UnknownVariables.find(Map.of(name, value))).isEmpty();
    }
}
