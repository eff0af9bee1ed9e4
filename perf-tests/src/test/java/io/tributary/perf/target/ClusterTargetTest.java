package io.tributary.perf.target;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.tributary.localcluster.LocalRedis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterTargetTest {
    @TempDir
    Path directory;

    /** Whether there was an append-only file decides what a run can be compared with. */
    @Test
    void saysWhatRedisWritesToDisk() throws IOException {
        try (LocalRedis redis =
                LocalRedis.in(directory.resolve("redis")).appendOnly(true).start()) {
            assertThat(start(redis).facts())
                    .containsEntry("Redis on disk", "appendonly yes, appendfsync everysec, no snapshots")
                    .containsEntry("processes: redis", "3")
                    .containsEntry("copies in Kafka", "1");
            for (int server = 1; server <= redis.ports().size(); server++) {
                redis.call(server, "CONFIG", "SET", "appendonly", "no");
            }
            assertThat(start(redis).facts()).containsEntry("Redis on disk", "appendonly no, no snapshots");
        }
    }

    private Target start(LocalRedis redis) throws IOException {
        List<Map<String, Object>> processes = new ArrayList<>();
        processes.add(process("node", Map.of("mqtt", 1, "ws", 2, "http", 3, "agent", 4)));
        processes.add(process("kafka", Map.of("clients", 5)));
        redis.ports().forEach(port -> processes.add(process("redis", Map.of("clients", port))));
        Path status = directory.resolve("status.json");
        new ObjectMapper().writeValue(status.toFile(), Map.of("processes", processes));
        TargetContext context =
                new TargetContext(launcher(status), directory, directory, BalancedTest.plain(), Map.of());
        return Targets.start("cluster:" + directory, context, Map.of());
    }

    /** Answers to "version" and to "cluster status". */
    private Path launcher(Path status) throws IOException {
        Path launcher = Files.writeString(directory.resolve("launcher"), """
                #!/bin/sh
                case "$2" in
                  status) cat '%s' ;;
                  *) echo 'tributary 1' ;;
                esac
                """.formatted(status));
        assertThat(launcher.toFile().setExecutable(true)).isTrue();
        return launcher;
    }

    private static Map<String, Object> process(String role, Map<String, Integer> ports) {
        return Map.of("name", role, "role", role, "pid", ProcessHandle.current().pid(), "ports", ports);
    }
}
