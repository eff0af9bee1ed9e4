package io.tributary.cluster.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.tls.CertificateWatch;
import io.tributary.broker.tls.TlsRecorder;
import io.tributary.cluster.link.Handshake.Authenticated;
import io.tributary.cluster.link.Handshake.Reply;
import io.tributary.cluster.link.Handshake.Step;
import io.tributary.persistence.contract.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A secret that takes the place of another one, node by node. */
class SecretRolloverTest {
    private static final String OLD = "the secret until now";
    private static final String NEW = "the secret from now on";
    private static final Duration INTERVAL = Duration.ofMillis(20);

    @TempDir
    private Path folder;

    /** Each node is changed at its own time: in each state in between, links could be made anew, in both directions. */
    @Test
    void noLinkIsLostWhenSecretIsChangedNodeByNode() throws IOException {
        Path fileOfA = write("a", OLD);
        Path fileOfB = write("b", OLD);
        ClusterSecret ofA = ClusterSecret.inFile(fileOfA);
        ClusterSecret ofB = ClusterSecret.inFile(fileOfB);
        try (CertificateWatch watch = new CertificateWatch(TlsRecorder.NONE, INTERVAL);
                TestNode a = new TestNode("a", 1, config -> TestNode.withSecret(config, "cluster", ofA));
                TestNode b = new TestNode("b", 1, config -> TestNode.withSecret(config, "cluster", ofB))) {
            ofA.files().forEach(watch::add);
            ofB.files().forEach(watch::add);
            TestNode.connect(a, b);
            for (String step : new String[] {OLD + "\n" + NEW, NEW + "\n" + OLD, NEW}) {
                change(ofA, "a", step);
                assertKnowEachOther(ofA, ofB);
                change(ofB, "b", step);
                assertKnowEachOther(ofA, ofB);
            }
            assertThat(a.ups()).isEqualTo(1);
            assertThat(a.upNow()).containsExactly(b.id);
            Link before = a.awaitLink(b.id);

            a.peers(Map.of());
            a.awaitDown(before);
            a.peers(Map.of(b.id, b.address()));
            a.awaitLink(b.id, before.generation());
            assertThat(knowEachOther(ofA, ClusterSecret.of(OLD))).isFalse();
        }
    }

    @Test
    void oldSecretStaysWhenNewFileCannotBeUsed() throws IOException {
        ClusterSecret secret = ClusterSecret.inFile(write("a", OLD));
        AtomicInteger taken = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        AtomicReference<BooleanSupplier> isFailing = new AtomicReference<>(() -> false);
        TlsRecorder counting = new TlsRecorder() {
            @Override
            public void watched(String name, BooleanSupplier failing) {
                isFailing.set(failing);
            }

            @Override
            public void reloaded(String name, boolean isTaken) {
                (isTaken ? taken : refused).incrementAndGet();
            }
        };
        try (CertificateWatch watch = new CertificateWatch(counting, INTERVAL)) {
            secret.files().forEach(watch::add);
            for (String wrong : new String[] {NEW + "\ntoo short", NEW + "\n" + OLD + "\n" + OLD}) {
                write("a", wrong);
                Waiting.until(() -> !watch.warnings().isEmpty());
                assertThat(watch.warnings().getFirst())
                        .startsWith("cluster secret: the changed file is not used, the old secret stays: ")
                        .doesNotContain(NEW, "too short");
                assertThat(isFailing.get().getAsBoolean()).isTrue();
                assertThat(knowEachOther(secret, ClusterSecret.of(OLD))).isTrue();
                write("a", OLD);
                Waiting.until(() -> watch.warnings().isEmpty());
                assertThat(isFailing.get().getAsBoolean()).isFalse();
            }
            write("a", NEW);
            Waiting.until(() -> knowEachOther(secret, ClusterSecret.of(NEW)));
            assertThat(refused).hasValue(2);
            Waiting.until(() -> taken.get() == 1);
        }
    }

    private void change(ClusterSecret secret, String name, String lines) throws IOException {
        var before = secret.keys();
        write(name, lines);
        Waiting.until(() -> !secret.keys().equals(before));
    }

    private static void assertKnowEachOther(ClusterSecret one, ClusterSecret other) {
        assertThat(knowEachOther(one, other)).isTrue();
        assertThat(knowEachOther(other, one)).isTrue();
    }

    /** Whether a handshake that begins at the one comes to a link. */
    private static boolean knowEachOther(ClusterSecret dialing, ClusterSecret accepting) {
        NodeId a = new NodeId("a", 1);
        NodeId b = new NodeId("b", 1);
        DialerHandshake dialer = new DialerHandshake(new LinkIdentity(a, "cluster", dialing), b);
        AcceptorHandshake acceptor = new AcceptorHandshake(new LinkIdentity(b, "cluster", accepting));
        Step challenge = acceptor.on(dialer.opening());
        Step proof = dialer.on(((Reply) challenge).message());
        return acceptor.on(((Reply) proof).message()) instanceof Authenticated accepted
                && accepted.last() != null
                && dialer.on(accepted.last()) instanceof Authenticated;
    }

    /** At one moment, as a file should be changed that is being read. */
    private Path write(String name, String lines) throws IOException {
        Path next = folder.resolve(name + ".next");
        Files.deleteIfExists(next);
        Files.createFile(next, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r-----")));
        Files.writeString(next, lines + "\n");
        return Files.move(next, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    }
}
