package io.tributary.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.BrokerConfig;
import io.tributary.server.settings.AgentCheckSettings;
import io.tributary.server.settings.SecurityConfig;
import io.tributary.server.settings.SecuritySettings;
import io.tributary.server.settings.ServerConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ProcessLimitsTest {
    private static final long GIB = 1L << 30;

    @Test
    void whatFitsIsNotWarnedOf() {
        ProcessLimits limits = new ProcessLimits(4_096, 200_000, GIB, GIB, GIB, 3 * GIB);
        assertThat(limits.warnings()).isEmpty();
        assertThat(limits.words())
                .isEqualTo(
                        "limits: open files 4096 (one for each client, at most 200000), heap 1024MB, direct memory 1024MB,"
                                + " store 1024MB, of 3072MB");
    }

    @Test
    void fewOpenFilesAreWarnedOf() {
        assertThat(new ProcessLimits(4_095, 200_000, GIB, GIB, 0, 3 * GIB).warnings())
                .containsExactly(
                        "the limit of open files is 4095, and each client takes one: raise LimitNOFILE= (systemd) or"
                                + " ulimit -n");
    }

    @Test
    void moreMemoryThanThereIsIsWarnedOf() {
        assertThat(new ProcessLimits(4_096, 200_000, GIB, GIB, GIB, 3 * GIB - 1).warnings())
                .singleElement()
                .asString()
                .contains("may take 3072MB, and there are 3071MB");
    }

    @Test
    void whatIsNotKnownIsNotSaid() {
        ProcessLimits limits = new ProcessLimits(0, 200_000, GIB, GIB, 0, 0);
        assertThat(limits.warnings()).isEmpty();
        assertThat(limits.words()).isEqualTo("limits: heap 1024MB, direct memory 1024MB");
    }

    @Test
    void limitsOfThisProcessAreFound() {
        ProcessLimits limits = ProcessLimits.of(new ServerConfig(
                BrokerConfig.builder(Path.of("data")).build(),
                new SecurityConfig(SecuritySettings.Anonymous.LOOPBACK, Map.of(), Map.of(), null, null),
                null,
                null,
                List.of(),
                new AgentCheckSettings("127.0.0.1", null)));
        assertThat(limits.heap()).isPositive();
        assertThat(limits.direct()).isPositive();
        assertThat(limits.memory()).isGreaterThanOrEqualTo(limits.heap());
    }
}
