package io.tributary.cluster.link;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelPipeline;
import io.tributary.broker.tls.TlsConfig;
import io.tributary.broker.tls.TlsConfig.ClientCertificates;
import io.tributary.broker.tls.TlsContexts;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Links over TLS 1.3, in which each end shows a certificate. Which host it is for does not matter: that it is a node of
 * the cluster shows in the certificate's authority and in the cluster's secret. New links are made from the files as
 * they are once {@link #contexts} are watched.
 */
public final class LinkTls implements LinkLayer {
    private static final String NAME = "cluster links";
    private static final List<String> VERSIONS = List.of("TLSv1.3");

    private final TlsContexts contexts;

    private LinkTls(TlsContexts contexts) {
        this.contexts = contexts;
    }

    /**
     * Reads the files.
     *
     * @param certificate this node's certificate and those between it and the authority, PEM
     * @param privateKey the key to that, in PEM, not encrypted
     * @param authorities the certificates of those that nodes' certificates come from, PEM
     * @param crls a file with revocation lists of the authorities, or a folder with nothing else; null for none. New
     *     links are checked, those that are up stay
     * @throws io.tributary.broker.tls.TlsException when one cannot be read or is not what it should be, in words
     */
    public static LinkTls of(Path certificate, Path privateKey, Path authorities, @Nullable Path crls) {
        TlsConfig config = TlsConfig.of(certificate, privateKey)
                .withClientCertificates(ClientCertificates.NEED, authorities)
                .withProtocols(VERSIONS, List.of());
        return new LinkTls(TlsContexts.forPeers(NAME, crls == null ? config : config.withCrls(crls, false)));
    }

    /** What links are made from. */
    public TlsContexts contexts() {
        return contexts;
    }

    @Override
    public void addTo(ChannelPipeline pipeline, boolean isDialing) {
        ByteBufAllocator allocator = ByteBufAllocator.DEFAULT;
        pipeline.addLast(isDialing ? contexts.dialed(allocator) : contexts.accepted(allocator, null));
    }
}
