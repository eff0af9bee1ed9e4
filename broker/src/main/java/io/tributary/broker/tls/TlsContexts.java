package io.tributary.broker.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.IllegalReferenceCountException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The TLS of a listener, or of the links between nodes: makes the handlers of new connections from the files as they
 * are. Changed files are tried as a whole; what cannot be used leaves everything as it was. Connections keep what they
 * began with.
 *
 * <p>Handlers may be made on any thread; {@link #check} is for one thread at a time.
 */
public final class TlsContexts implements WatchedFiles, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TlsContexts.class);
    private static final long SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final int SETTLE_TIMES = 10;

    private final String name;
    private final TlsConfig config;
    private final boolean isForPeers;
    private final InstantSource clock;
    private final List<Runnable> onChange = new CopyOnWriteArrayList<>();
    private final ExpiryNotices expiry;
    private volatile ContextSet current;
    private volatile @Nullable TlsException rejected;
    private volatile boolean closed;
    private volatile TlsRecorder recorder = TlsRecorder.NONE;

    // Of the thread that checks.
    private String digest;
    private @Nullable String rejectedDigest;

    private TlsContexts(String name, TlsConfig config, boolean isForPeers, InstantSource clock) {
        this.name = name;
        this.config = config;
        this.isForPeers = isForPeers;
        this.clock = clock;
        expiry = new ExpiryNotices(name);
        TlsFiles files = TlsFiles.read(config);
        current = set(files);
        digest = files.digest();
    }

    /**
     * Reads the files of a listener.
     *
     * @param name of the listener, for log lines and meters
     * @throws TlsException when they cannot be used
     */
    public static TlsContexts forListener(String name, TlsConfig config) {
        return new TlsContexts(name, config, false, InstantSource.system());
    }

    /**
     * Reads the files of connections between equals, each of which shows its certificate whoever began.
     *
     * @param name of the connections, for log lines and meters
     * @throws TlsException when they cannot be used
     */
    public static TlsContexts forPeers(String name, TlsConfig config) {
        return new TlsContexts(name, config, true, InstantSource.system());
    }

    /** For tests of what time does. */
    static TlsContexts at(InstantSource clock, String name, TlsConfig config) {
        return new TlsContexts(name, config, false, clock);
    }

    /** The configuration, which does not change. */
    public TlsConfig config() {
        return config;
    }

    @Override
    public String name() {
        return name;
    }

    /**
     * The handler of a connection that another side has made.
     *
     * @param host the name that it asks for; null when it does not say
     */
    public SslHandler accepted(ByteBufAllocator allocator, @Nullable String host) {
        return using(set -> set.accepted(allocator, host));
    }

    /** The handler of a connection that is made from here; of peers only. */
    public SslHandler dialed(ByteBufAllocator allocator) {
        return using(set -> set.dialed(allocator));
    }

    /**
     * The engine of a connection that another side has made, for those who do without Netty.
     *
     * @throws IllegalStateException when it is not the JDK's, for others have to be released
     */
    public SSLEngine engine() {
        if (config.chosenEngine() != TlsEngine.JDK) {
            throw new IllegalStateException("TLS of " + name + " is not the JDK's");
        }
        return using(ContextSet::engine);
    }

    /** A set that is exchanged at this very moment is released: the next one is there by then. */
    private <T> T using(Function<ContextSet, T> use) {
        while (true) {
            ContextSet set = current;
            try {
                set.retain();
            } catch (IllegalReferenceCountException released) {
                if (closed) {
                    throw new IllegalStateException("TLS of " + name + " is closed", released);
                }
                continue;
            }
            try {
                return use.apply(set);
            } finally {
                set.release();
            }
        }
    }

    /**
     * Runs the action whenever new files are in use, on the thread that checks; it must not throw.
     *
     * @return does so no more
     */
    public Runnable onChange(Runnable action) {
        onChange.add(action);
        return () -> onChange.remove(action);
    }

    /**
     * The certificate that is revoked among those that the other side of a connection has shown, its own first; null
     * when none is, or nobody says what is revoked.
     */
    public @Nullable X509Certificate revoked(List<X509Certificate> shown) {
        RevocationLists lists = current.material().lists();
        return lists == null ? null : lists.revoked(shown);
    }

    @Override
    public List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        TlsException wrong = rejected;
        if (wrong != null) {
            warnings.add(words() + ": the changed files are not used, the old ones stay: " + wrong.getMessage());
        }
        TlsMaterial material = current.material();
        Instant now = clock.instant();
        material.identities().forEach(identity -> {
            String problem = ExpiryNotices.problem(identity.certificate(), now);
            if (problem != null) {
                warnings.add(words() + ": the certificate of " + identity.host() + " " + problem);
            }
        });
        current.staples().stream()
                .map(OcspStaple::problem)
                .filter(Objects::nonNull)
                .forEach(problem -> warnings.add(words() + ": clients are given no answer of OCSP: " + problem));
        if (material.lists() != null) {
            material.lists().warnings(now).forEach(warning -> warnings.add(words() + ": " + warning));
        }
        return warnings;
    }

    private String words() {
        return "TLS of " + name;
    }

    @Override
    public void record(TlsRecorder newRecorder) {
        recorder = newRecorder;
        newRecorder.watched(name, () -> rejected != null);
        for (Identity identity : current.material().identities()) {
            String host = identity.host();
            newRecorder.certificate(name, host, () -> secondsLeft(host));
        }
    }

    /** Counts what this and its connections do. */
    public TlsRecorder recorder() {
        return recorder;
    }

    private double secondsLeft(String host) {
        Instant now = clock.instant();
        return current.material().identities().stream()
                .filter(identity -> identity.host().equals(host))
                .mapToDouble(identity ->
                        ExpiryNotices.left(identity.certificate(), now).toSeconds())
                .findFirst()
                .orElse(Double.NaN);
    }

    @Override
    public void check() {
        TlsFiles files = TlsFiles.read(config);
        String found = files.digest();
        if (found.equals(digest)) {
            if (rejected != null) {
                LOG.info("{}: the files are again those that are in use", words());
            }
            rejected = null;
            rejectedDigest = null;
        } else if (!found.equals(rejectedDigest)) {
            change(settled(files));
        }
        expiry.tell(current.material().identities(), clock.instant());
        current.staples().forEach(OcspStaple::check);
    }

    /** Who writes a certificate and then its key should not be met between the two. */
    private TlsFiles settled(TlsFiles first) {
        TlsFiles files = first;
        for (int i = 0; i < SETTLE_TIMES; i++) {
            LockSupport.parkNanos(SETTLE_NANOS);
            TlsFiles next = TlsFiles.read(config);
            if (next.digest().equals(files.digest())) {
                return next;
            }
            files = next;
        }
        return files;
    }

    private void change(TlsFiles files) {
        String found = files.digest();
        if (found.equals(digest)) {
            return;
        }
        try {
            ContextSet next = set(files);
            ContextSet before = current;
            next.staples().forEach(staple -> before.staples().forEach(staple::takeOver));
            current = next;
            before.release();
            digest = found;
            rejected = null;
            rejectedDigest = null;
            LOG.info("{}: the changed files are in use", words());
            recorder.reloaded(name, true);
        } catch (TlsException e) {
            rejected = e;
            rejectedDigest = found;
            LOG.warn("{}: the changed files are not used, the old ones stay: {}", words(), e.getMessage());
            recorder.reloaded(name, false);
            return;
        }
        onChange.forEach(Runnable::run);
    }

    /** Makes no more handlers; not while files are checked. Connections go on. */
    @Override
    public void close() {
        closed = true;
        current.release();
    }

    private ContextSet set(TlsFiles files) {
        return ContextSet.of(config, TlsMaterial.of(config, files, clock), isForPeers, clock);
    }
}
