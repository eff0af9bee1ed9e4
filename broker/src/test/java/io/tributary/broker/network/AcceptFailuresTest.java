package io.tributary.broker.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AcceptFailuresTest {
    private final AtomicLong nanos = new AtomicLong();
    private final List<String> counted = new ArrayList<>();
    private final AcceptFailures failures = new AcceptFailures(
            new NetworkRecorder() {
                @Override
                public void unaccepted(String listener) {
                    counted.add(listener);
                }
            },
            nanos::get);
    private final EmbeddedChannel listening = new EmbeddedChannel(failures.handler("tcp"));

    @ParameterizedTest
    @ValueSource(
            strings = {
                "accept(..) failed with error(-24): Too many open files",
                "accept(..) failed with error(-23): Zu viele offene Dateien im System",
                "Too many open files"
            })
    void wantOfFileDescriptorsIsSaidInWordsForAMinute(String reason) {
        assertThat(failures.warnings()).isEmpty();

        listening.pipeline().fireExceptionCaught(new IOException(reason));

        assertThat(counted).containsExactly("tcp");
        assertThat(failures.warnings())
                .singleElement()
                .asString()
                .startsWith("no file descriptors left (limit ")
                .endsWith("raise LimitNOFILE= (systemd) or ulimit -n");
        nanos.addAndGet(Duration.ofMinutes(1).toNanos() - 1);
        assertThat(failures.warnings()).hasSize(1);
        nanos.incrementAndGet();
        assertThat(failures.warnings()).isEmpty();
    }

    @Test
    void anotherReasonIsSaidWithItsListener() {
        listening.pipeline().fireExceptionCaught(new IOException("no buffer space"));
        assertThat(failures.warnings()).containsExactly("listener tcp cannot accept connections: no buffer space");
    }

    @Test
    void nothingReachesTheEndOfThePipeline() {
        listening.pipeline().fireExceptionCaught(new IOException("no buffer space"));
        listening.checkException();
    }
}
