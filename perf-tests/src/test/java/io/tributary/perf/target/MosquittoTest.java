package io.tributary.perf.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MosquittoTest {

    /** As all other targets do without being told, and as Tributary does. */
    @Test
    void sendsSmallPacketsAtOnceAndSaysSo(@TempDir Path directory) {
        assumeTrue(Programs.find("mosquitto").isPresent(), "mosquitto is not installed");
        TargetContext context =
                new TargetContext(Path.of("tributary"), directory, directory, BalancedTest.plain(), Map.of());
        try (Target mosquitto = new Mosquitto(1).start(context)) {
            assertThat(mosquitto.facts()).containsEntry("sockets", "set_tcp_nodelay true (its default is false)");
            assertThat(directory.resolve("mosquitto.conf")).content().contains("\nset_tcp_nodelay true\n");
            assertThat(directory.resolve("server.log")).content().isEmpty();
        }
    }
}
