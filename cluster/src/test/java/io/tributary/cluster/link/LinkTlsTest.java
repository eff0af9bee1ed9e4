package io.tributary.cluster.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.tributary.persistence.contract.Waiting;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
        }
    }

    @Test
    void nodeWithoutTlsIsNotLinked() throws Exception {
        try (TestNode a = new TestNode("a", 1, tls("a", authority("ours")));
                TestNode b = new TestNode("b", 1, LinkLayer.PLAIN)) {
            TestNode.introduce(a, b);
            Waiting.until(() -> a.counts.reconnecting.get() + b.counts.reconnecting.get() > 2);
            assertThat(a.counts.up).hasValue(0);
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
                .hasMessage(missing + ": cannot be read");
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
        Path authorities = Files.writeString(folder.resolve(name + "-ca.pem"), authority.getRootCertificatePEM());
        return LinkTls.of(certificate, key, authorities, null);
    }
}
