package io.tributary.broker.network;

import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoop;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.ssl.ReferenceCountedOpenSslEngine;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProtocols;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.tributary.broker.guard.Guard;
import io.tributary.broker.loop.LoopShare;
import io.tributary.broker.tls.HandshakeFailure;
import io.tributary.broker.tls.TlsContexts;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The encryption of a listener's connections. Connections whose clients' certificates are revoked are closed. */
@SuppressWarnings("FutureReturnValueIgnored") // what becomes of it shows in the channel's own events
final class TlsLayer implements SocketLayer {
    private static final Logger LOG = LoggerFactory.getLogger(TlsLayer.class);

    private final TlsContexts contexts;
    private final Guard guard;
    private final HandshakeSlots slots;
    /** Not the mailboxes' own: long searches of clients that are known do not delay handshakes. */
    private final ConcurrentMap<EventLoop, LoopShare> shares = new ConcurrentHashMap<>();

    /** Connections that are to be closed when a certificate is revoked; null where nobody says what is. */
    private final @Nullable ChannelGroup revocable;

    private final Runnable forget;

    TlsLayer(TlsContexts contexts, Guard guard) {
        this.contexts = contexts;
        this.guard = guard;
        slots = new HandshakeSlots(contexts.config().maxHandshakes(), System::nanoTime);
        revocable = contexts.config().crls() == null ? null : new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
        forget = revocable == null ? () -> {} : contexts.onChange(this::closeRevoked);
    }

    /** Connections are not closed any more when certificates are revoked. */
    void close() {
        forget.run();
    }

    @Override
    public void addTo(ChannelPipeline pipeline) {
        pipeline.addLast(new HandshakeStart(this));
    }

    TlsContexts contexts() {
        return contexts;
    }

    HandshakeSlots slots() {
        return slots;
    }

    /** What handshakes have of an event loop's time. */
    LoopShare share(EventLoop loop) {
        return shares.computeIfAbsent(loop, of -> new LoopShare(of, of.ticker()::nanoTime));
    }

    /** A handshake is over; event loop only. */
    void ended(Channel channel, @Nullable Throwable failure) {
        if (failure != null) {
            HandshakeFailure reason = HandshakeFailure.of(failure);
            LOG.debug("handshake with {} failed: {}", ClientOrigin.text(channel), reason, failure);
            contexts.recorder().handshakeFailed(contexts.name(), reason);
            if (reason != HandshakeFailure.CLOSED) {
                guard.closed(
                        contexts.name(),
                        ClientOrigin.text(channel),
                        "tls_" + reason.name().toLowerCase(Locale.ROOT),
                        "the handshake of TLS failed");
            }
            return;
        }
        contexts.recorder().handshake(contexts.name());
        refuseAnother(channel);
        if (revocable != null) {
            revocable.add(channel);
            closeIfRevoked(channel); // lists may have changed while the handshake was under way
        }
    }

    /** OpenSSL's engine refuses by itself; and TLS 1.3 has none. */
    private static void refuseAnother(Channel channel) {
        SslHandler encryption = channel.pipeline().get(SslHandler.class);
        if (encryption != null
                && !(encryption.engine() instanceof ReferenceCountedOpenSslEngine)
                && !encryption.engine().getSession().getProtocol().equals(SslProtocols.TLS_v1_3)) {
            String behind = channel.pipeline().context(encryption).name();
            channel.pipeline().addAfter(behind, null, new OneHandshake(encryption.engine()));
        }
    }

    private void closeRevoked() {
        long closed = revocable == null
                ? 0
                : revocable.stream().filter(this::closeIfRevoked).count();
        if (closed > 0) {
            LOG.info("listener {}: {} connections are closed, their certificates are revoked", contexts.name(), closed);
        }
    }

    private boolean closeIfRevoked(Channel channel) {
        SslHandler encryption = channel.pipeline().get(SslHandler.class);
        List<X509Certificate> shown = encryption == null ? List.of() : ClientCertificate.chain(encryption.engine());
        X509Certificate revoked = contexts.revoked(shown);
        if (revoked == null) {
            return false;
        }
        LOG.debug(
                "connection from {} is closed: the certificate of {} is revoked",
                ClientOrigin.text(channel),
                revoked.getSubjectX500Principal());
        contexts.recorder().revoked(contexts.name());
        channel.close();
        return true;
    }
}
