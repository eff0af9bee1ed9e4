package io.tributary.broker.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class StrayClientsTest {
    private static final Channel CLIENT = new EmbeddedChannel();

    private final AtomicLong nanos = new AtomicLong();
    private final List<String> lines = new ArrayList<>();
    private final StrayClients strays = new StrayClients(ListenerConfig.tcp("plain", 0), nanos::get, lines::add);

    @Test
    void firstOneIsSaidAtOnceWithListenerAndWhatItTakes() {
        strays.came(CLIENT, "spoke HTTP");

        assertThat(lines)
                .singleElement()
                .asString()
                .startsWith("a client spoke HTTP on the listener plain, which takes MQTT over TCP: ")
                .doesNotContain("more since");
    }

    @Test
    void othersOfTheSameMinuteAreCountedInTheNextLine() {
        for (int i = 0; i < 1_000; i++) {
            strays.came(CLIENT, "spoke HTTP");
        }
        assertThat(lines).hasSize(1);
        nanos.addAndGet(Duration.ofMinutes(1).toNanos() - 1);
        strays.came(CLIENT, "spoke HTTP");
        assertThat(lines).hasSize(1);

        nanos.incrementAndGet();
        strays.came(CLIENT, "spoke TLS");

        assertThat(lines)
                .hasSize(2)
                .last()
                .asString()
                .contains("spoke TLS")
                .endsWith(" (and 1000 more since the last such line)");
        nanos.addAndGet(Duration.ofMinutes(1).toNanos());
        strays.came(CLIENT, "spoke TLS");
        assertThat(lines).hasSize(3).last().asString().doesNotContain("more since");
    }
}
