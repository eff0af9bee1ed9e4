package io.tributary.cluster.kafka;

import java.security.KeyStore;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.SSLEngine;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.security.auth.SslEngineFactory;
import org.apache.kafka.common.security.ssl.DefaultSslEngineFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Encrypts connections of Kafka's clients as Kafka's own class does, with the files of certificates and keys as they
 * are at each new connection, where Kafka's class reads them once: {@code ssl.engine.factory.class}. Files that cannot
 * be used leave the former certificates in use, with a line in the log. Any thread; a changed file is read by the
 * thread that connects.
 */
public final class ChangingCertificates implements SslEngineFactory {
    private static final Logger LOG = LoggerFactory.getLogger(ChangingCertificates.class);

    // Guarded by this.
    private final Map<String, Object> properties = new HashMap<>();
    private SslEngineFactory current = new DefaultSslEngineFactory();
    private @Nullable String problem;

    /** Kafka creates it by its name. */
    public ChangingCertificates() {}

    @Override
    public synchronized void configure(Map<String, ?> newProperties) {
        properties.putAll(newProperties);
        current.configure(properties);
    }

    @Override
    public synchronized SSLEngine createClientSslEngine(String host, int port, String identification) {
        if (current.shouldBeRebuilt(properties)) {
            readAgain();
        }
        return current.createClientSslEngine(host, port, identification);
    }

    private void readAgain() {
        SslEngineFactory changed = new DefaultSslEngineFactory();
        try {
            changed.configure(properties);
            current = changed;
            problem = null;
            LOG.info("the certificates for Kafka have changed; the new ones are in use");
        } catch (KafkaException e) {
            String words = String.valueOf(e.getMessage());
            if (!words.equals(problem)) {
                LOG.warn("the changed certificates for Kafka are not used, the old ones stay: {}", words);
            }
            problem = words;
        }
    }

    @Override
    public SSLEngine createServerSslEngine(String host, int port) {
        throw new UnsupportedOperationException("is a client");
    }

    @Override
    public boolean shouldBeRebuilt(Map<String, Object> nextConfigs) {
        return false;
    }

    @Override
    public Set<String> reconfigurableConfigs() {
        return Set.of();
    }

    @Override
    public synchronized @Nullable KeyStore keystore() {
        return current.keystore();
    }

    @Override
    public synchronized @Nullable KeyStore truststore() {
        return current.truststore();
    }

    @Override
    public void close() {}
}
