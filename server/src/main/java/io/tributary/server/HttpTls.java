package io.tributary.server;

import io.tributary.broker.tls.CertificateWatch;
import io.tributary.broker.tls.TlsConfig;
import io.tributary.broker.tls.TlsContexts;
import io.tributary.broker.tls.TlsRecorder;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.TrustManager;
import org.apache.catalina.connector.Connector;
import org.apache.tomcat.util.net.SSLContext;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;

/**
 * The TLS of the port of health and metrics, by the rules of listeners: the web server asks for an engine at each
 * connection, which is made from the files as they are. Any thread.
 */
final class HttpTls implements WebServerFactoryCustomizer<TomcatServletWebServerFactory>, AutoCloseable {
    private static final String NAME = "http";

    private final @Nullable TlsContexts contexts;
    private final @Nullable CertificateWatch watch;

    /**
     * Reads the files, and begins to look whether they change.
     *
     * @param config null for no TLS
     */
    HttpTls(@Nullable TlsConfig config, TlsRecorder recorder) {
        contexts = config == null ? null : TlsContexts.forListener(NAME, config);
        watch = contexts == null ? null : new CertificateWatch(recorder);
        if (contexts != null && watch != null) {
            watch.add(contexts);
        }
    }

    @Override
    public void customize(TomcatServletWebServerFactory factory) {
        if (contexts != null) {
            TlsContexts ready = contexts;
            factory.addConnectorCustomizers(connector -> encrypt(connector, ready));
        }
    }

    private static void encrypt(Connector connector, TlsContexts contexts) {
        SSLHostConfig host = new SSLHostConfig();
        host.setProtocols(String.join("+", contexts.config().protocols()));
        host.setCertificateVerification(
                switch (contexts.config().clientCertificates()) {
                    case NONE -> "none";
                    case WANT -> "optional";
                    case NEED -> "required";
                });
        SSLHostConfigCertificate certificate =
                new SSLHostConfigCertificate(host, SSLHostConfigCertificate.Type.UNDEFINED);
        certificate.setSslContext(new Engines(contexts));
        host.addCertificate(certificate);
        connector.setScheme("https");
        connector.setSecure(true);
        connector.setProperty("SSLEnabled", "true");
        connector.addSslHostConfig(host);
    }

    /** What operators should know, a sentence each. */
    List<String> warnings() {
        return watch == null ? List.of() : watch.warnings();
    }

    @Override
    public void close() {
        if (watch != null) {
            watch.close();
        }
        if (contexts != null) {
            contexts.close();
        }
    }

    /** What Tomcat takes for its TLS; of all of it, it needs the engines. */
    private record Engines(TlsContexts contexts) implements SSLContext {
        @Override
        public SSLEngine createSSLEngine() {
            return contexts.engine();
        }

        @Override
        public void init(KeyManager @Nullable [] keys, TrustManager @Nullable [] trust, @Nullable SecureRandom random) {
            // the contexts have all of it
        }

        @Override
        public void destroy() {
            // they are closed with the application
        }

        @Override
        public @Nullable SSLSessionContext getServerSessionContext() {
            return null;
        }

        @Override
        public SSLServerSocketFactory getServerSocketFactory() {
            throw new UnsupportedOperationException("engines alone");
        }

        @Override
        public SSLParameters getSupportedSSLParameters() {
            return Objects.requireNonNull(contexts.engine().getSSLParameters());
        }

        @Override
        public X509Certificate @Nullable [] getCertificateChain(@Nullable String alias) {
            return null;
        }

        @Override
        public X509Certificate @Nullable [] getAcceptedIssuers() {
            return null;
        }
    }
}
