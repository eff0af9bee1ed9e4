package io.tributary.broker.network;

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
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lets only those HTTP requests through that ask for MQTT over WebSocket [MQTT-6.0.0-3]; others are refused. */
final class WebSocketRequests extends SimpleChannelInboundHandler<FullHttpRequest> {

    /** The subprotocols of MQTT 3.1.1 and later, and of MQTT 3.1; the first that the client names is chosen. */
    static final String SUBPROTOCOLS = "mqtt,mqttv3.1"; // [MQTT-6.0.0-4]

    private static final List<String> KNOWN = List.of(SUBPROTOCOLS.split(","));

    private final String path;

    WebSocketRequests(String path) {
        super(false);
        this.path = path;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
        HttpResponseStatus refusal = refusal(request);
        if (refusal == null) {
            context.fireChannelRead(request);
            return;
        }
        request.release();
        FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, refusal);
        response.headers()
                .set(HttpHeaderNames.CONTENT_LENGTH, 0)
                .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        context.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
    }

    private @Nullable HttpResponseStatus refusal(FullHttpRequest request) {
        if (request.decoderResult().isFailure()) {
            return HttpResponseStatus.BAD_REQUEST;
        }
        if (!new QueryStringDecoder(request.uri()).path().equals(path)) {
            return HttpResponseStatus.NOT_FOUND;
        }
        if (!request.headers().containsValue(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET, true)) {
            return HttpResponseStatus.UPGRADE_REQUIRED;
        }
        return asksForMqtt(request) ? null : HttpResponseStatus.BAD_REQUEST;
    }

    private static boolean asksForMqtt(FullHttpRequest request) {
        return request.headers().getAll(HttpHeaderNames.SEC_WEBSOCKET_PROTOCOL).stream()
                .flatMap(header -> Arrays.stream(header.split(",")))
                .anyMatch(name -> KNOWN.contains(name.trim()));
    }
}
