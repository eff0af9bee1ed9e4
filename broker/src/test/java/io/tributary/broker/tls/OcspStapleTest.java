package io.tributary.broker.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Answers that get old: {@code openssl ocsp} gives them. */
class OcspStapleTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private final AtomicReference<Duration> later = new AtomicReference<>(Duration.ZERO);
    /** Happens once, when somebody asks what time it is. */
    private final AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});

    private OpenSslAuthority authority;
    private int port;
    private OcspStaple staple;

    @BeforeEach
    void makeCertificate() throws IOException {
        authority = OpenSslAuthority.in(folder, "authority");
        port = freePort();
        InstantSource clock = () -> {
            meanwhile.getAndSet(() -> {}).run();
            return InstantSource.system().instant().plus(later.get());
        };
        TlsConfig config = TlsConfig.builder(
                        authority.serverWithResponder("server", port).files())
                .build();
        TlsMaterial material = TlsMaterial.of(config, TlsFiles.read(config), clock);
        staple = OcspStaple.of(material.identities().getFirst(), clock);
    }

    /** Java takes an answer that does not say how long it is good for to be good for a quarter of an hour. */
    @Test
    void answerThatIsOutOfDateIsAProblemAndAskedForAgain() throws Exception {
        fetch();
        assertThat(staple.problem()).isNull();
        later.set(Duration.ofMinutes(16));
        staple.check();
        assertThat(staple.answer()).isNull();
        assertThat(staple.problem()).isNotNull();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(staple.problem()).contains("it does not answer"));
    }

    @Test
    void answerStaysThatComesWhileTheOneBeforeIsLookedAt() throws Exception {
        byte[] old = fetch();
        later.set(Duration.ofMinutes(16));
        Process responder = authority.responder(port, "-ndays", "1");
        try {
            meanwhile.set(() -> {
                staple.check();
                await().atMost(PATIENCE).until(() -> staple.answer() != null && !Arrays.equals(staple.answer(), old));
            });
            staple.check();
            assertThat(staple.answer()).isNotNull();
        } finally {
            responder.destroy();
            responder.waitFor();
        }
    }

    @Test
    void answerIsAskedForAgainBeforeItIsOutOfDate() throws Exception {
        byte[] brief = fetch();
        assertThat(staple.pauseAfter(brief)).isBetween(TimeUnit.MINUTES.toNanos(3), TimeUnit.MINUTES.toNanos(8));
        later.set(Duration.ofMinutes(14));
        assertThat(staple.pauseAfter(brief)).isEqualTo(TimeUnit.MINUTES.toNanos(1));
    }

    @Test
    void answerThatIsGoodForADayIsAskedForEachHour() throws Exception {
        assertThat(staple.pauseAfter(fetch("-ndays", "1"))).isEqualTo(TimeUnit.HOURS.toNanos(1));
    }

    /** The answer of a responder that is away again afterwards. */
    private byte[] fetch(String... options) throws InterruptedException {
        Process responder = authority.responder(port, options);
        try {
            staple.check();
            await().atMost(PATIENCE).until(() -> staple.answer() != null);
        } finally {
            responder.destroy();
            responder.waitFor();
        }
        return Objects.requireNonNull(staple.answer());
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
