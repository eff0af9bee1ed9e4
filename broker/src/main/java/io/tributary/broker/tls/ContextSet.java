package io.tributary.broker.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSslContextOption;
import io.netty.handler.ssl.OpenSslSessionContext;
import io.netty.handler.ssl.OpenSslSessionTicketKey;
import io.netty.handler.ssl.ReferenceCountedOpenSslEngine;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.AbstractReferenceCounted;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.ReferenceCounted;
import io.tributary.broker.tls.TlsConfig.ClientCertificates;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * What makes the TLS of new connections, from one state of the files. OpenSSL's memory is counted: connections keep
 * what they were made of after the set is released.
 */
final class ContextSet extends AbstractReferenceCounted {
    /**
     * What the other side may show; each certificate is looked at on the event loop. Dozens of small ones fit into
     * that, and Java would try them as issuers of each other: its search stays short because Netty hands it ten at
     * most (VERIFY_DEPTH). The JDK's engine takes eight.
     */
    private static final int MOST_CERTIFICATE_BYTES = 16 * 1024;

    private final TlsMaterial material;
    private final SslContext main;
    private final Map<String, SslContext> byName;
    private final @Nullable SslContext dialing;
    private final Map<SslContext, OcspStaple> staples;

    /** Every context that was made, also while making the next one fails. */
    private final List<SslContext> made;

    private ContextSet(
            TlsMaterial material,
            List<SslContext> made,
            Map<String, SslContext> byName,
            @Nullable SslContext dialing,
            Map<SslContext, OcspStaple> staples) {
        this.material = material;
        this.staples = staples;
        this.made = made;
        this.main = made.getFirst();
        this.byName = byName;
        this.dialing = dialing;
    }

    /**
     * Makes one.
     *
     * @param isForPeers whether connections are also begun from here, with the same certificate
     * @throws TlsException when the engine does not take what the files have
     */
    static ContextSet of(TlsConfig config, TlsMaterial material, boolean isForPeers, InstantSource clock) {
        checkEngine(config);
        List<SslContext> made = new ArrayList<>();
        try {
            Map<String, SslContext> byName = new HashMap<>();
            Map<SslContext, OcspStaple> staples = new HashMap<>();
            for (Identity identity : material.identities()) {
                SslContext context = accepting(config, material, identity);
                made.add(context);
                if (config.ocspStapling()) {
                    staples.put(context, OcspStaple.of(identity, clock));
                }
                if (!identity.host().equals(Identity.DEFAULT)) {
                    identity.names().forEach(name -> byName.put(name, context));
                }
            }
            SslContext dialing = null;
            if (isForPeers) {
                dialing = dialing(config, material);
                made.add(dialing);
            }
            return new ContextSet(material, made, byName, dialing, staples);
        } catch (SSLException | RuntimeException e) {
            made.forEach(ReferenceCountUtil::release);
            throw e instanceof TlsException known
                    ? known
                    : new TlsException(
                            "certificate",
                            "'" + config.identity().certificate() + "', its key or the"
                                    + " authorities cannot be used by "
                                    + config.chosenEngine().words() + ": " + e.getMessage());
        }
    }

    private static void checkEngine(TlsConfig config) {
        TlsEngine engine = config.chosenEngine();
        Set<String> known = engine.ciphers();
        for (String cipher : config.ciphers()) {
            if (!known.contains(cipher)) {
                throw new TlsException(
                        "ciphers",
                        "'" + cipher + "' is not known to " + engine.words() + "; it knows "
                                + String.join(", ", known));
            }
        }
        if (engine == TlsEngine.JDK && config.ticketKeys() != null) {
            throw new TlsException(
                    "ticket-keys", "'" + config.ticketKeys() + "' needs OpenSSL, whose library cannot be loaded here");
        }
        if (engine == TlsEngine.JDK && config.ocspStapling()) {
            throw new TlsException(
                    "ocsp-stapling",
                    "'true' needs OpenSSL, whose library cannot be loaded here; the JDK's engine does it by itself with"
                            + " -Djdk.tls.server.enableStatusRequestExtension=true");
        }
    }

    private static SslContext accepting(TlsConfig config, TlsMaterial material, Identity identity) throws SSLException {
        SslContextBuilder builder = SslContextBuilder.forServer(identity.key(), chain(identity));
        common(builder, config, material);
        builder.enableOcsp(config.ocspStapling());
        builder.clientAuth(
                switch (config.clientCertificates()) {
                    case NONE -> ClientAuth.NONE;
                    case WANT -> ClientAuth.OPTIONAL;
                    case NEED -> ClientAuth.REQUIRE;
                });
        if (config.clientCertificates() != ClientCertificates.NONE) {
            // A session that is resumed shows no certificate: what has expired or been revoked since would get in.
            builder.sessionTimeout(1);
        }
        SslContext context = builder.build();
        if (!material.ticketKeys().isEmpty() && context.sessionContext() instanceof OpenSslSessionContext sessions) {
            sessions.setTicketKeys(
                    material.ticketKeys().stream().map(ContextSet::ticketKey).toArray(OpenSslSessionTicketKey[]::new));
        }
        return context;
    }

    private static SslContext dialing(TlsConfig config, TlsMaterial material) throws SSLException {
        Identity identity = material.identities().getFirst();
        SslContextBuilder builder = SslContextBuilder.forClient()
                .keyManager(identity.key(), chain(identity))
                .endpointIdentificationAlgorithm(null);
        common(builder, config, material);
        return builder.build();
    }

    private static void common(SslContextBuilder builder, TlsConfig config, TlsMaterial material) {
        builder.sslProvider(config.chosenEngine().provider()).protocols(config.protocols());
        if (config.chosenEngine() == TlsEngine.OPENSSL) {
            builder.option(OpenSslContextOption.MAX_CERTIFICATE_LIST_BYTES, MOST_CERTIFICATE_BYTES);
        }
        if (!config.ciphers().isEmpty()) {
            builder.ciphers(config.ciphers());
        }
        if (!material.authorities().isEmpty()) {
            builder.trustManager(material.trustManager());
        }
    }

    private static X509Certificate[] chain(Identity identity) {
        return identity.chain().toArray(X509Certificate[]::new);
    }

    private static OpenSslSessionTicketKey ticketKey(byte[] key) {
        int part = key.length / 3;
        return new OpenSslSessionTicketKey(
                Arrays.copyOfRange(key, 0, part),
                Arrays.copyOfRange(key, part, 2 * part),
                Arrays.copyOfRange(key, 2 * part, key.length));
    }

    TlsMaterial material() {
        return material;
    }

    /**
     * The handler of a connection that a client has made.
     *
     * @param name what it asks for, in small letters; null when it does not say
     */
    SslHandler accepted(ByteBufAllocator allocator, @Nullable String name) {
        SslContext context = context(name);
        SslHandler handler = context.newHandler(allocator);
        OcspStaple staple = staples.get(context);
        byte[] answer = staple == null ? null : staple.answer();
        if (answer != null && handler.engine() instanceof ReferenceCountedOpenSslEngine engine) {
            engine.setOcspResponse(answer);
        }
        return handler;
    }

    /** What is fetched about our certificates. */
    Collection<OcspStaple> staples() {
        return staples.values();
    }

    SSLEngine engine() {
        return main.newEngine(ByteBufAllocator.DEFAULT);
    }

    SslHandler dialed(ByteBufAllocator allocator) {
        if (dialing == null) {
            throw new IllegalStateException("connections are only taken here");
        }
        return dialing.newHandler(allocator);
    }

    private SslContext context(@Nullable String name) {
        if (name == null || byName.isEmpty()) {
            return main;
        }
        SslContext exact = byName.get(name);
        if (exact != null) {
            return exact;
        }
        int dot = name.indexOf('.');
        return dot < 0 ? main : byName.getOrDefault("*" + name.substring(dot), main);
    }

    @Override
    protected void deallocate() {
        made.forEach(ReferenceCountUtil::release);
    }

    @Override
    public ReferenceCounted touch(Object hint) {
        return this;
    }
}
