package io.tributary.cluster.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.tributary.broker.tls.CertificateWatch;
import io.tributary.broker.tls.TlsRecorder;
import io.tributary.persistence.contract.Waiting;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LinkTlsTest {
    @TempDir
    private Path folder;

    @Test
    void nodesOfOneAuthorityAreLinked() throws Exception {
        X509Bundle authority = authority("ours");
        try (TestNode a = new TestNode("a", 1, tls("a", authority));
                TestNode b = new TestNode("b", 1, tls("b", authority))) {
            TestNode.connect(a, b);
            assertThat(a.open.send(b.id, TestNode.bytes("over TLS"))).isTrue();
            Waiting.until(() -> b.frameCount() == 1);
            assertThat(b.texts()).containsExactly("over TLS");
        }
    }

    @Test
    void nodeOfAnotherAuthorityIsNotLinked() throws Exception {
        try (TestNode a = new TestNode("a", 1, tls("a", authority("ours")));
                TestNode b = new TestNode("b", 1, tls("b", authority("theirs")))) {
            TestNode.introduce(a, b);
            Waiting.until(() -> a.counts.reconnecting.get() + b.counts.reconnecting.get() > 2);
            assertThat(a.counts.up).hasValue(0);
            assertThat(b.counts.up).hasValue(0);
            Waiting.until(() -> b.links().refusal() == Refusal.NO_TLS);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void nodeIsNotLinkedWhereOneAloneHasTlsAndTheReasonIsSaid(boolean isDialers) throws Exception {
        LinkTls tls = tls("one", authority("ours"));
        try (TestNode dialer = new TestNode("a", 1, isDialers ? tls : LinkLayer.PLAIN);
                TestNode acceptor = new TestNode("b", 1, isDialers ? LinkLayer.PLAIN : tls)) {
            TestNode.introduce(dialer, acceptor);
            Waiting.until(() -> acceptor.counts.refusedFor(Refusal.NO_TLS) > 1);
            assertThat(acceptor.links().refusal()).isEqualTo(Refusal.NO_TLS);
            assertThat(acceptor.counts.refusedFor(Refusal.MALFORMED)).isZero();
            assertThat(dialer.counts.up).hasValue(0);
            assertThat(acceptor.counts.up).hasValue(0);
            if (isDialers) {
                Waiting.until(() -> dialer.links().refusal() == Refusal.ENDED_BEFORE_TLS);
            }
        }
    }

    /** A probe of a load balancer, or another node that looks whether this one is there. */
    @Test
    void connectionThatEndsBeforeTlsSaysNothingOfTls() throws Exception {
        try (TestNode node = new TestNode("a", 1, tls("a", authority("ours")))) {
            new RawPeer(node.address()).close();
            node.awaitEnded(1);
            assertThat(node.counts.refusedFor(Refusal.NO_TLS)).isZero();
            assertThat(node.links().refusal()).isNull();
        }
    }

    @Test
    void nodeThatEndsWhileItIsDialledIsNoReasonAnyMoreOnceThereIsALink() throws Exception {
        X509Bundle authority = authority("ours");
        try (TestNode a = new TestNode("a", 1, tls("a", authority))) {
            try (ServerSocket ending = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
                a.peers(Map.of(new NodeId("b", 1), (InetSocketAddress) ending.getLocalSocketAddress()));
                try (Socket accepted = ending.accept()) {
                    accepted.shutdownOutput();
                    Waiting.until(() -> a.links().refusal() != null);
                }
                assertThat(a.links().refusal()).isEqualTo(Refusal.ENDED_BEFORE_TLS);
            }
            try (TestNode b = new TestNode("b", 2, tls("b", authority))) {
                TestNode.connect(a, b);
                assertThat(a.links().refusal()).isNull();
            }
        }
    }

    @Test
    void fileThatIsNoCertificateIsNamed() throws Exception {
        Path wrong = Files.writeString(folder.resolve("wrong.pem"), "nothing");
        assertThatThrownBy(() -> LinkTls.of(wrong, wrong, wrong, null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("wrong.pem");
        Path missing = folder.resolve("missing.pem");
        assertThatThrownBy(() -> LinkTls.of(missing, wrong, wrong, null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("certificate: '" + missing + "' does not exist");
    }

    /** Both nodes get certificates of another authority, one after the other; no link is lost. */
    @Test
    void newLinksAreMadeFromChangedFilesWhileThoseThatAreUpStay() throws Exception {
        X509Bundle before = authority("before");
        X509Bundle after = authority("after");
        LinkTls ofA = tls("a", before);
        try (CertificateWatch watch = new CertificateWatch(TlsRecorder.NONE, Duration.ofMillis(50));
                TestNode a = new TestNode("a", 1, ofA);
                TestNode b = new TestNode("b", 1, tls("b", before))) {
            watch.add(ofA.contexts());
            TestNode.connect(a, b);
            CountDownLatch changed = new CountDownLatch(1);
            ofA.contexts().onChange(changed::countDown);
            tls("a", after).contexts().close();

            assertThat(changed.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(a.open.send(b.id, TestNode.bytes("as before"))).isTrue();
            Waiting.until(() -> b.frameCount() == 1);
            try (TestNode c = new TestNode("c", 1, tls("c", after))) {
                TestNode.introduce(a, c);
                Waiting.until(() -> a.open.send(c.id, TestNode.bytes("anew")));
            }
        }
    }

    private static X509Bundle authority(String name) throws Exception {
        return new CertificateBuilder()
                .subject("CN=" + name)
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
    }

    private LinkTls tls(String name, X509Bundle authority) throws Exception {
        X509Bundle node = new CertificateBuilder().subject("CN=" + name).buildIssuedBy(authority);
        Path certificate = Files.writeString(folder.resolve(name + ".pem"), node.getCertificatePathPEM());
        Path key = Files.writeString(folder.resolve(name + ".key"), node.getPrivateKeyPEM());
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        Path authorities = Files.writeString(folder.resolve(name + "-ca.pem"), authority.getRootCertificatePEM());
        return LinkTls.of(certificate, key, authorities, null);
    }
}
