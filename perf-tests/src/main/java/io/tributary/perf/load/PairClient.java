package io.tributary.perf.load;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.tributary.common.codec.DecoderLimits;
import io.tributary.common.codec.MqttDecoder;
import io.tributary.common.codec.MqttEncoder;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One client of a {@link PairLoad}: a publisher that keeps its window full, or a subscriber that acknowledges at once. */
final class PairClient extends ChannelInboundHandlerAdapter {
    private final Options options;
    private final Tally tally;
    private final int pair;
    private final boolean publisher;
    private final MqttDecoder decoder = MqttDecoder.forClient(ProtocolVersion.MQTT_3_1_1, DecoderLimits.DEFAULT);
    private final MqttEncoder encoder = new MqttEncoder(ProtocolVersion.MQTT_3_1_1, ConnectProperties.LARGEST_PACKET);
    private final CompletableFuture<Boolean> ready = new CompletableFuture<>();

    // Confined to the event loop.
    private @Nullable ChannelHandlerContext context;
    private @Nullable ByteBuf received;
    private @Nullable ByteBuf answers;
    private boolean publishing;
    private long lastNumber;
    private int packetId;

    PairClient(Options options, Tally tally, int pair, boolean publisher) {
        this.options = options;
        this.tally = tally;
        this.pair = pair;
        this.publisher = publisher;
    }

    /** Completes when the client is connected, and subscribed if it is a subscriber. */
    CompletableFuture<Boolean> ready() {
        return ready;
    }

    /** Begins to publish. */
    void begin() {
        onLoop(() -> {
            publishing = true;
            for (int i = 0; i < options.window(); i++) {
                publish();
            }
            flush();
        });
    }

    /** Publishes no more. */
    void end() {
        onLoop(() -> publishing = false);
    }

    private void onLoop(Runnable action) {
        ChannelHandlerContext live = context;
        if (live != null) {
            live.executor().execute(action);
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext active) {
        context = active;
        String clientId = "pair-" + pair + (publisher ? "-publisher" : "-subscriber");
        write(new Connect(
                ProtocolVersion.MQTT_3_1_1,
                publisher,
                0,
                clientId,
                null,
                null,
                null,
                ConnectProperties.defaults(publisher ? 0 : ConnectProperties.NEVER_EXPIRES)));
        flush();
    }

    @Override
    public void channelRead(ChannelHandlerContext active, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        ByteBuf whole = bytes;
        if (received != null) {
            whole = received.writeBytes(bytes);
            bytes.release();
        }
        for (MqttPacket packet = decoder.decode(whole); packet != null; packet = decoder.decode(whole)) {
            handle(packet);
        }
        keepRest(active, whole);
    }

    private void keepRest(ChannelHandlerContext active, ByteBuf bytes) {
        ByteBuf rest = null;
        if (bytes.isReadable()) {
            rest = active.alloc().buffer().writeBytes(bytes);
        }
        bytes.release();
        received = rest;
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext active) {
        flush();
    }

    private void handle(MqttPacket packet) {
        switch (packet) {
            case Connack _ when publisher -> ready.complete(true);
            case Connack _ ->
                write(new Subscribe(
                        1,
                        List.of(new Subscription(
                                "europe/ua/kyiv/" + pair + "/+", QoS.AT_LEAST_ONCE, false, false, RetainHandling.SEND)),
                        0,
                        List.of()));
            case Suback _ -> ready.complete(true);
            case Puback _ -> {
                tally.onAcknowledged();
                publish();
            }
            case Publish publish -> onPublish(publish);
            default -> throw new IllegalStateException("unexpected " + packet);
        }
    }

    private void onPublish(Publish publish) {
        ByteBuffer payload = ByteBuffer.wrap(publish.payload());
        long number = payload.getLong();
        tally.onReceived(lastNumber, number, System.nanoTime() - payload.getLong());
        lastNumber = Math.max(lastNumber, number);
        write(new Puback(publish.packetId(), ReasonCode.SUCCESS, null, List.of()));
    }

    private void publish() {
        if (!publishing) {
            return;
        }
        byte[] payload = new byte[options.payloadBytes()];
        ByteBuffer.wrap(payload).putLong(++lastNumber).putLong(System.nanoTime());
        packetId = packetId % 65_535 + 1;
        write(new Publish(
                "europe/ua/kyiv/" + pair + "/data",
                payload,
                QoS.AT_LEAST_ONCE,
                false,
                false,
                packetId,
                0,
                MqttPacket.ABSENT,
                PublishProperties.NONE,
                List.of()));
        tally.onPublished();
    }

    private void write(MqttPacket packet) {
        ChannelHandlerContext live = context;
        if (live == null) {
            return;
        }
        if (answers == null) {
            answers = live.alloc().buffer();
        }
        encoder.encode(packet, answers);
    }

    private void flush() {
        if (context != null && answers != null) {
            ChannelFuture _ = context.writeAndFlush(answers, context.voidPromise());
            answers = null;
        }
    }
}
