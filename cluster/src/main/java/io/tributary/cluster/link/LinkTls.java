package io.tributary.cluster.link;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.net.ssl.SSLException;

/**
 * Links over TLS 1.3, in which each end shows a certificate. Which host it is for does not matter: that it is a node of
 * the cluster shows in the certificate's authority and in the cluster's secret. The files are read once.
 */
public final class LinkTls implements LinkLayer {
    private static final String VERSION = "TLSv1.3";

    private final SslContext accepting;
    private final SslContext dialing;

    private LinkTls(SslContext accepting, SslContext dialing) {
        this.accepting = accepting;
        this.dialing = dialing;
    }

    /**
     * Reads the files.
     *
     * @param certificate this node's certificate and those between it and the authority, PEM
     * @param privateKey the key to that, PKCS 8 in PEM, not encrypted
     * @param authorities the certificates of those that nodes' certificates come from, PEM
     * @throws IllegalArgumentException when one cannot be read or is not what it should be, in words
     */
    public static LinkTls of(Path certificate, Path privateKey, Path authorities) {
        for (Path file : List.of(certificate, privateKey, authorities)) {
            if (!Files.isReadable(file)) {
                throw new IllegalArgumentException(file + ": cannot be read");
            }
        }
        try {
            SslContext accepting = SslContextBuilder.forServer(certificate.toFile(), privateKey.toFile())
                    .trustManager(authorities.toFile())
                    .clientAuth(ClientAuth.REQUIRE)
                    .protocols(VERSION)
                    .build();
            SslContext dialing = SslContextBuilder.forClient()
                    .keyManager(certificate.toFile(), privateKey.toFile())
                    .trustManager(authorities.toFile())
                    .endpointIdentificationAlgorithm(null)
                    .protocols(VERSION)
                    .build();
            return new LinkTls(accepting, dialing);
        } catch (SSLException | RuntimeException e) {
            throw new IllegalArgumentException(
                    "the certificate " + certificate + ", its key " + privateKey + " or the authorities " + authorities
                            + " cannot be used: " + e.getMessage(),
                    e);
        }
    }

    @Override
    public void addTo(ChannelPipeline pipeline, boolean isDialing) {
        pipeline.addLast((isDialing ? dialing : accepting).newHandler(ByteBufAllocator.DEFAULT));
    }
}
