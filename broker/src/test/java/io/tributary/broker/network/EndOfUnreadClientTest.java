package io.tributary.broker.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.tributary.broker.connection.FakeBackend;
import io.tributary.broker.connection.FakeServices;
import io.tributary.broker.loop.LoopMailboxes;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.MqttPacket.Pingreq;
import io.tributary.common.mqtt.ReasonCode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A real client that is not read just then sends a message and DISCONNECT, and ends its side. */
class EndOfUnreadClientTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int MORE_THAN_SOCKETS_TAKE = 32_000_000;
    private static final Disconnect DISCONNECT =
            new Disconnect(ReasonCode.SUCCESS, MqttPacket.ABSENT, null, null, List.of());

    private final FakeBackend backend = new FakeBackend();
    private final UnfinishedPackets unfinished = new UnfinishedPackets(100_000);
    private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final Transport transport = Transport.best();
    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, transport.handlers());
    private final Socket client = new Socket();
    private Channel channel;

    @BeforeEach
    void connect() throws IOException {
        Channel listening = new ServerBootstrap()
                .group(loops)
                .channel(transport.serverChannel())
                .childHandler(pipeline())
                .bind(InetAddress.getLoopbackAddress(), 0)
                .syncUninterruptibly()
                .channel();
        client.setReceiveBufferSize(4_096);
        client.connect(new InetSocketAddress(
                InetAddress.getLoopbackAddress(), ((InetSocketAddress) listening.localAddress()).getPort()));
        send(Packets.bytes(Packets.connect("c")));
        byte[] answer = client.getInputStream().readNBytes(2);
        byte[] rest = client.getInputStream().readNBytes(answer[1]);
        assertThat(Packets.decode(concat(answer, rest))).hasExactlyElementsOfTypes(Connack.class);
        channel = open.iterator().next();
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }

    @Test // [MQTT-3.14.4-3]
    void itsMessageIsPublishedAndNoWillWhenTooMuchWaitsToBeWrittenToIt() throws IOException {
        ChannelFuture _ = channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[MORE_THAN_SOCKETS_TAKE]));
        send(Packets.bytes(new Pingreq()));
        awaitUnread();

        send(Packets.bytes(Packets.publish("last"), DISCONNECT));

        endsWithItsMessageAndNoWill();
    }

    @Test // [MQTT-3.14.4-3]
    void itsMessageIsPublishedAndNoWillWhenMemoryForPacketsIsShort() throws IOException {
        unfinished.change(150_000, false);
        byte[] packets = Packets.bytes(Packets.publish("x".repeat(60_000)), DISCONNECT);
        client.getOutputStream().write(packets, 0, 20_000);
        client.getOutputStream().flush();
        awaitUnread();

        client.getOutputStream().write(packets, 20_000, packets.length - 20_000);

        endsWithItsMessageAndNoWill();
    }

    private void awaitUnread() {
        await().atMost(PATIENCE).until(() -> !channel.config().isAutoRead());
    }

    private void endsWithItsMessageAndNoWill() throws IOException {
        client.shutdownOutput();
        await().atMost(PATIENCE).until(() -> backend.detached() == 1);
        assertThat(backend.published()).isEqualTo(1);
        assertThat(backend.endedWithWill()).isZero();
    }

    private void send(byte[] bytes) throws IOException {
        client.getOutputStream().write(bytes);
        client.getOutputStream().flush();
    }

    private static byte[] concat(byte[] first, byte[] second) {
        byte[] both = new byte[first.length + second.length];
        System.arraycopy(first, 0, both, 0, first.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    private Pipeline pipeline() {
        ListenerConfig config = ListenerConfig.tcp("test", 0);
        ListenerContext listener = new ListenerContext(
                config,
                NetworkConfig.DEFAULT,
                new ListenerAdmission(config.admission(), System::nanoTime),
                FakeServices.on(backend),
                backend.target,
                new LoopMailboxes(),
                unfinished,
                new StrayClients(config, System::nanoTime, _ -> {}),
                new NetworkRecorder() {});
        return new Pipeline(listener, SocketLayer.PLAIN, open, SilentConnections.ofThisProcess());
    }
}
