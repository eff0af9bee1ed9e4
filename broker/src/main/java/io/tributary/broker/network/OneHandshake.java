package io.tributary.broker.network;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes a connection whose client begins another handshake, as TLS 1.2 lets it: each costs as much as a new
 * connection's, and no limit counts them. For the JDK's engine, which refuses none unless the whole process does. It is
 * behind the encryption, once the handshake is done. Confined to the event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what becomes of it shows in the channel's own events
final class OneHandshake extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(OneHandshake.class);

    private final SSLEngine engine;

    OneHandshake(SSLEngine engine) {
        this.engine = engine;
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (engine.getHandshakeStatus() == HandshakeStatus.NOT_HANDSHAKING
                || !context.channel().isActive()) {
            context.fireChannelReadComplete();
            return;
        }
        LOG.debug("connection from {} is closed: it began another handshake", ClientOrigin.text(context.channel()));
        context.close();
    }
}
