package io.tributary.broker.network;

import io.tributary.broker.tls.CertificateWatch;
import io.tributary.broker.tls.TlsConfig;
import io.tributary.broker.tls.TlsContexts;
import io.tributary.broker.tls.TlsException;
import io.tributary.broker.tls.TlsRecorder;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The certificates of all listeners, for as long as a broker lives: also while it begins anew, it keeps those that it
 * has read last and that were good. Any thread.
 */
public final class ListenerTls implements AutoCloseable {
    /** No listener has TLS. */
    static final ListenerTls NONE = new ListenerTls(Map.of(), null);

    private final Map<String, TlsContexts> byListener;
    private final @Nullable CertificateWatch watch;

    private ListenerTls(Map<String, TlsContexts> byListener, @Nullable CertificateWatch watch) {
        this.byListener = byListener;
        this.watch = watch;
    }

    /**
     * Reads the certificates, and begins to look whether they change.
     *
     * @throws IllegalArgumentException when some cannot be used; the words say which, and what would help
     */
    public static ListenerTls open(List<ListenerConfig> listeners, TlsRecorder recorder) {
        return open(listeners, recorder, CertificateWatch.INTERVAL);
    }

    /** The same, and files are read at another interval: for tests. */
    public static ListenerTls open(List<ListenerConfig> listeners, TlsRecorder recorder, Duration interval) {
        Map<String, TlsContexts> contexts = new HashMap<>();
        for (ListenerConfig listener : listeners) {
            TlsConfig tls = listener.tls();
            if (tls == null) {
                continue;
            }
            try {
                contexts.put(listener.name(), TlsContexts.forListener(listener.name(), tls));
            } catch (TlsException e) {
                contexts.values().forEach(TlsContexts::close);
                throw new IllegalArgumentException("listener " + listener.name() + ": tls." + e.getMessage(), e);
            }
        }
        return contexts.isEmpty() ? NONE : watched(contexts, new CertificateWatch(recorder, interval));
    }

    private static ListenerTls watched(Map<String, TlsContexts> contexts, CertificateWatch watch) {
        contexts.values().forEach(watch::add);
        return new ListenerTls(Map.copyOf(contexts), watch);
    }

    /** What operators should know, a sentence each. */
    public List<String> warnings() {
        return watch == null ? List.of() : watch.warnings();
    }

    /** The contexts of a listener. */
    TlsContexts of(ListenerConfig listener) {
        TlsContexts contexts = byListener.get(listener.name());
        if (contexts == null) {
            throw new IllegalStateException("the certificates of listener " + listener.name() + " were not read");
        }
        return contexts;
    }

    @Override
    public void close() {
        if (watch != null) {
            watch.close();
        }
        byListener.values().forEach(TlsContexts::close);
    }
}
