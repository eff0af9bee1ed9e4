package io.tributary.broker.tls;

import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslProvider;
import java.security.NoSuchAlgorithmException;
import java.util.Set;
import java.util.TreeSet;
import javax.net.ssl.SSLContext;

/** What encrypts: a native library, or the JDK. */
public enum TlsEngine {
    /** BoringSSL, through Netty's {@code netty-tcnative-boringssl-static}, which has to be on the class path. */
    OPENSSL(SslProvider.OPENSSL_REFCNT, "OpenSSL"),
    /** The engine of the JDK, which is everywhere; it needs more CPU and memory. */
    JDK(SslProvider.JDK, "the JDK's engine");

    private final SslProvider provider;
    private final String words;

    TlsEngine(SslProvider provider, String words) {
        this.provider = provider;
        this.words = words;
    }

    /** OpenSSL where its library can be loaded, else the JDK's. */
    public static TlsEngine best() {
        return OpenSsl.isAvailable() ? OPENSSL : JDK;
    }

    /** Its name, and the version where there is one, for people to read. */
    public String words() {
        return this == OPENSSL ? words + " (" + OpenSsl.versionString() + ")" : words;
    }

    SslProvider provider() {
        return provider;
    }

    /** All cipher suites that it knows, by the names that Java uses. */
    Set<String> ciphers() {
        if (this == OPENSSL) {
            return new TreeSet<>(OpenSsl.availableJavaCipherSuites());
        }
        try {
            return new TreeSet<>(
                    Set.of(SSLContext.getDefault().getSupportedSSLParameters().getCipherSuites()));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("a JDK without TLS", e);
        }
    }
}
