package io.tributary.perf.run;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.tributary.common.codec.DecoderLimits;
import io.tributary.common.codec.MqttDecoder;
import io.tributary.common.codec.MqttEncoder;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.ConnackProperties;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Pubcomp;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Pubrec;
import io.tributary.common.mqtt.MqttPacket.Pubrel;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.perf.judge.Stamp;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A broker for one subscriber a topic, without wildcards, which makes a known number of mistakes: of each subscriber's
 * messages it drops some, sends some twice and swaps some with the next. One thread.
 */
final class StubBroker implements AutoCloseable {
    private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final Faults faults;
    private final Channel server;
    private final Map<String, Subscriber> subscribers = new HashMap<>();
    private volatile IntFunction<@Nullable ReasonCode> answers = _ -> ReasonCode.SUCCESS;
    private volatile ReasonCode completion = ReasonCode.SUCCESS;
    private int published;
    private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private volatile boolean away;
    private volatile boolean isAhead;
    private volatile int heldBack;

    StubBroker(Faults faults, @Nullable SslContext tls) {
        this.faults = faults;
        server = new ServerBootstrap()
                .group(loop)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        if (away) {
                            var _ = channel.close();
                            return;
                        }
                        open.add(channel);
                        if (tls != null) {
                            channel.pipeline().addLast(tls.newHandler(channel.alloc()));
                        }
                        channel.pipeline().addLast(new Peer());
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), 0)
                .syncUninterruptibly()
                .channel();
    }

    InetSocketAddress address() {
        return (InetSocketAddress) server.localAddress();
    }

    /** Answers each PUBLISH of QoS 1 by its number, from 1; those that it refuses go nowhere. Null for no answer. */
    void answer(IntFunction<@Nullable ReasonCode> byNumber) {
        answers = byNumber;
    }

    /** Answers each PUBREL so. */
    void complete(ReasonCode reason) {
        completion = reason;
    }

    /** Has all messages look as if their publishers' clocks were ahead of those of subscribers. */
    void setAhead() {
        isAhead = true;
    }

    /** Delivers the first so many messages of each subscriber when the next one comes. */
    void holdBack(int messages) {
        heldBack = messages;
    }

    /** Ends all connections, and each new one at once; or is there again. */
    void away(boolean isAway) {
        away = isAway;
        if (isAway) {
            open.close().syncUninterruptibly();
        }
    }

    @Override
    public void close() {
        server.close().syncUninterruptibly();
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
    }

    /**
     * Which of each subscriber's messages go wrong, by what is left of their number divided by ten.
     *
     * @param drop never sent; -1 for none
     * @param repeat sent twice without DUP
     * @param repeatFlagged sent twice, the second time with DUP
     * @param swap sent after the next
     */
    record Faults(int drop, int repeat, int repeatFlagged, int swap) {
        static final Faults NONE = new Faults(-1, -1, -1, -1);
    }

    /** A message as a process would have stamped it whose clock is an hour ahead. */
    private static byte[] later(byte[] payload) {
        ByteBuffer bytes = ByteBuffer.wrap(payload.clone());
        long first = bytes.getLong(0);
        long second = bytes.getLong(8);
        long nanos = TimeUnit.HOURS.toNanos(1) - Stamp.ageNanos(first, second, 0);
        return bytes.putLong(0, Stamp.first(Stamp.run(first), Stamp.source(first), Stamp.isMeasured(first), nanos))
                .putLong(8, Stamp.second(Stamp.sequence(second), nanos))
                .array();
    }

    private final class Subscriber {
        private final Peer peer;
        private final QoS maximum;
        private int number;
        private int packetId;
        private @Nullable Publish held;
        private final List<Publish> backlog = new ArrayList<>();

        Subscriber(Peer peer, QoS maximum) {
            this.peer = peer;
            this.maximum = maximum;
        }

        void deliver(Publish message) {
            int which = ++number % 10;
            if (number == heldBack + 1) {
                backlog.forEach(one -> send(one, false));
            }
            if (which == faults.drop) {
                return;
            }
            if (number <= heldBack) {
                backlog.add(message);
                return;
            }
            if (which == faults.swap) {
                held = message;
                return;
            }
            send(message, false);
            if (which == faults.repeat || which == faults.repeatFlagged) {
                send(message, which == faults.repeatFlagged);
            }
            if (held != null) {
                send(held, false);
                held = null;
            }
        }

        private void send(Publish message, boolean dup) {
            QoS qos = message.qos().min(maximum);
            packetId = packetId % 65_535 + 1;
            peer.send(new Publish(
                    message.topic(),
                    isAhead ? later(message.payload()) : message.payload(),
                    qos,
                    false,
                    dup,
                    qos.isAcknowledged() ? packetId : 0,
                    0,
                    MqttPacket.ABSENT,
                    message.properties(),
                    List.of()));
        }
    }

    private final class Peer extends ChannelInboundHandlerAdapter {
        private final MqttDecoder decoder = new MqttDecoder(DecoderLimits.DEFAULT);
        private @Nullable MqttEncoder encoder;
        private @Nullable ChannelHandlerContext context;
        private @Nullable ByteBuf unfinished;

        @Override
        public void channelActive(ChannelHandlerContext active) {
            context = active;
            unfinished = active.alloc().buffer();
        }

        @Override
        public void channelRead(ChannelHandlerContext active, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            if (unfinished == null) {
                return;
            }
            unfinished.writeBytes(bytes);
            bytes.release();
            for (MqttPacket packet = decoder.decode(unfinished); packet != null; packet = decoder.decode(unfinished)) {
                handle(packet);
            }
            unfinished.discardReadBytes();
        }

        @Override
        public void channelInactive(ChannelHandlerContext inactive) {
            if (unfinished != null) {
                unfinished.release();
                unfinished = null;
            }
        }

        private void handle(MqttPacket packet) {
            switch (packet) {
                case Connect connect -> {
                    encoder = new MqttEncoder(connect.version(), ConnectProperties.LARGEST_PACKET);
                    send(new Connack(false, ReasonCode.SUCCESS, ConnackProperties.reason(null)));
                }
                case Subscribe subscribe -> {
                    subscribe
                            .subscriptions()
                            .forEach(one -> subscribers.put(one.filter(), new Subscriber(this, one.maximumQos())));
                    List<ReasonCode> reasons = subscribe.subscriptions().stream()
                            .map(one -> ReasonCode.granted(one.maximumQos()))
                            .toList();
                    send(new Suback(subscribe.packetId(), reasons, null, List.of()));
                }
                case Publish publish -> {
                    ReasonCode answer = answers.apply(++published);
                    if (publish.qos() == QoS.AT_LEAST_ONCE && answer != null) {
                        send(new Puback(publish.packetId(), answer, null, List.of()));
                    }
                    if (publish.qos() == QoS.EXACTLY_ONCE && answer != null) {
                        send(new Pubrec(publish.packetId(), answer, null, List.of()));
                    }
                    Subscriber subscriber = subscribers.get(publish.topic());
                    if (subscriber != null && (answer == null || !answer.isError())) {
                        subscriber.deliver(publish);
                    }
                }
                case Pubrel release -> send(new Pubcomp(release.packetId(), completion, null, List.of()));
                default -> {
                    // Nothing to answer.
                }
            }
        }

        private void send(MqttPacket packet) {
            if (context != null && encoder != null) {
                ByteBuf out = context.alloc().buffer();
                encoder.encode(packet, out);
                var _ = context.writeAndFlush(out, context.voidPromise());
            }
        }
    }
}
