package io.tributary.broker.network;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.codec.http.websocketx.WebSocketVersion;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lets only those HTTP requests through that ask for MQTT over WebSocket [MQTT-6.0.0-3]; others are refused in words. A
 * browser shows them to nobody: who opens a WebSocket with a mistake is in the log, too. Other requests are not, for
 * many a load balancer sends them to see whether the port is open.
 */
final class WebSocketRequests extends SimpleChannelInboundHandler<FullHttpRequest> {

    /** The subprotocols of MQTT 3.1.1 and later, and of MQTT 3.1; the first that the client names is chosen. */
    static final String SUBPROTOCOLS = "mqtt,mqttv3.1"; // [MQTT-6.0.0-4]

    private static final List<String> KNOWN = List.of(SUBPROTOCOLS.split(","));

    /** That of RFC 6455. Netty also knows drafts of it, and takes long for what comes by the oldest. */
    private static final String VERSION = WebSocketVersion.V13.toHttpHeaderValue();

    private final String path;
    private final ListenerContext listener;
    private final AllowedOrigins origins;

    /** A no, with what is wrong and what is right; what the log says of it is empty for nothing. */
    private record Refusal(HttpResponseStatus status, String words, String did) {}

    WebSocketRequests(String path, ListenerContext listener, AllowedOrigins origins) {
        super(false);
        this.path = path;
        this.listener = listener;
        this.origins = origins;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
        Refusal refusal = refusal(request);
        if (refusal == null) {
            context.fireChannelRead(request);
            return;
        }
        request.release();
        if (refusal.status.equals(HttpResponseStatus.FORBIDDEN)) {
            listener.refused(context.channel(), EntryRefusal.ORIGIN, refusal.did);
        } else if (!refusal.did.isEmpty()) {
            listener.strays().came(context.channel(), refusal.did);
        }
        context.writeAndFlush(response(context, refusal)).addListener(ChannelFutureListener.CLOSE);
    }

    private static FullHttpResponse response(ChannelHandlerContext context, Refusal refusal) {
        ByteBuf body = ByteBufUtil.writeAscii(context.alloc(), refusal.words + "\n");
        FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, refusal.status, body);
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, "text/plain; charset=utf-8")
                .set(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes())
                .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        if (refusal.status.equals(HttpResponseStatus.UPGRADE_REQUIRED)) {
            response.headers()
                    .set(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET)
                    .set(HttpHeaderNames.SEC_WEBSOCKET_VERSION, VERSION);
        }
        return response;
    }

    private @Nullable Refusal refusal(FullHttpRequest request) {
        if (request.decoderResult().isFailure()) {
            return new Refusal(
                    HttpResponseStatus.BAD_REQUEST,
                    "this is no HTTP/1.1; this port takes " + listener.strays().takes(),
                    "");
        }
        boolean isUpgrade = request.headers().containsValue(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET, true);
        if (!new QueryStringDecoder(request.uri()).path().equals(path)) {
            return new Refusal(
                    HttpResponseStatus.NOT_FOUND,
                    "nothing is here; this port takes " + listener.strays().takes(),
                    isUpgrade ? "asked for another path" : "");
        }
        if (!isUpgrade) {
            return new Refusal(
                    HttpResponseStatus.UPGRADE_REQUIRED,
                    "this port takes " + listener.strays().takes() + "; the header 'Upgrade: websocket' is missing",
                    "");
        }
        if (!request.headers().getAll(HttpHeaderNames.SEC_WEBSOCKET_VERSION).equals(List.of(VERSION))) {
            return new Refusal(
                    HttpResponseStatus.UPGRADE_REQUIRED,
                    "the client is to send 'Sec-WebSocket-Version: " + VERSION + "'",
                    "asked for another version of WebSocket");
        }
        if (!isFromAllowedPage(request)) {
            return new Refusal(
                    HttpResponseStatus.FORBIDDEN,
                    "pages of this origin may not connect; the listener's setting is allowed-origins",
                    "was opened by a browser from a page that may not");
        }
        return asksForMqtt(request)
                ? null
                : new Refusal(
                        HttpResponseStatus.BAD_REQUEST,
                        "the subprotocol is missing: the client is to send 'Sec-WebSocket-Protocol: mqtt'",
                        "did not ask for the subprotocol mqtt");
    }

    /** Browsers say where the page is, once; other clients do not. */
    private boolean isFromAllowedPage(FullHttpRequest request) {
        List<String> said = new ArrayList<>(request.headers().getAll(HttpHeaderNames.ORIGIN));
        said.addAll(request.headers().getAll(HttpHeaderNames.SEC_WEBSOCKET_ORIGIN));
        return said.isEmpty() || (said.size() == 1 && origins.allow(said.getFirst()));
    }

    private static boolean asksForMqtt(FullHttpRequest request) {
        return request.headers().getAll(HttpHeaderNames.SEC_WEBSOCKET_PROTOCOL).stream()
                .flatMap(header -> Arrays.stream(header.split(",")))
                .anyMatch(name -> KNOWN.contains(name.trim()));
    }
}
