package io.tributary.broker.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocket13FrameDecoder;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.tributary.broker.connection.FakeBackend;
import io.tributary.broker.connection.FakeServices;
import io.tributary.broker.connection.Farewell;
import io.tributary.broker.loop.LoopMailboxes;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.MqttPacket.Pingreq;
import io.tributary.common.mqtt.MqttPacket.Pingresp;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SocketHandlerTest {
    private static final int KEEP_ALIVE_SECONDS = 10;
    private static final int LARGE_BYTES = 1_000_000;

    private final FakeBackend backend = new FakeBackend();
    private final Flushes flushes = new Flushes();
    private final UnfinishedPackets unfinished = new UnfinishedPackets(100_000);
    private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final SilentConnections silent = SilentConnections.ofThisProcess();
    private final EmbeddedChannel channel = new EmbeddedChannel(pipeline());

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    @Test // [MQTT-4.2.0-1]
    void handlesPacketsWhenTheyComeByteByByte() {
        for (byte each : Packets.bytes(Packets.connect("c"), new Pingreq())) {
            write(each);
        }

        assertThat(read()).hasExactlyElementsOfTypes(Connack.class, Pingresp.class);
    }

    @Test // [MQTT-4.2.0-1]
    void handlesAllPacketsOfAReadAndFlushesOnce() {
        connect();

        write(Packets.bytes(
                Packets.publish("a", QoS.AT_LEAST_ONCE, 1), Packets.publish("b", QoS.AT_LEAST_ONCE, 2), new Pingreq()));

        assertThat(read()).hasExactlyElementsOfTypes(Puback.class, Puback.class, Pingresp.class);
        assertThat(flushes.packets).containsExactly(1, 3);
    }

    @Test
    void sendsWhatIsDeliveredInOneFlush() {
        connect();

        backend.flood(10);
        channel.runPendingTasks();

        assertThat(read()).hasSize(10).hasOnlyElementsOfType(Publish.class);
        assertThat(flushes.packets).containsExactly(1, 10);
    }

    /**
     * A burst of many publishers within a turn of the event loop: the water mark and a queue of 1,000 would not hold
     * it.
     */
    @Test
    void dropsNothingOfABurstWhenSocketTakesIt() {
        connect();

        backend.flood(3_000);
        channel.runPendingTasks();

        assertThat(read()).hasSize(3_000).hasOnlyElementsOfType(Publish.class);
        assertThat(flushes.packets).hasSizeGreaterThan(3_000 / 100);
        assertThat(channel.config().isAutoRead()).isTrue();
    }

    @Test
    void keepsPacketsUndecodedUntilSessionTakesThem() {
        backend.holdAttach();
        write(Packets.bytes(Packets.connect("c"), new Pingreq()));
        assertThat(read()).isEmpty();
        assertThat(channel.config().isAutoRead()).isFalse();

        backend.answerAttach();
        channel.runPendingTasks();

        assertThat(read()).hasExactlyElementsOfTypes(Connack.class, Pingresp.class);
        assertThat(channel.config().isAutoRead()).isTrue();
    }

    @Test // [MQTT-3.1.0-1]
    void closesWithoutWordWhenPeerDoesNotSpeakMqtt() {
        write("HELO example.com\r\n".getBytes(StandardCharsets.US_ASCII));

        assertThat(read()).isEmpty();
        assertThat(channel.isOpen()).isFalse();
    }

    @Test // [MQTT-3.1.4-1]
    void answersWithConnackWhenConnectIsMalformed() {
        byte[] connect = Packets.bytes(Packets.connect("c"));
        connect[9] |= 1; // the reserved flag [MQTT-3.1.2-3]

        write(connect);

        assertThat(((Connack) read().getFirst()).reason()).isEqualTo(ReasonCode.MALFORMED_PACKET);
        assertThat(channel.isOpen()).isFalse();
    }

    @Test // [MQTT-4.13.1-1]
    void answersWithDisconnectWhenLaterPacketIsMalformed() {
        connect();

        write((byte) 0x00, (byte) 0x00);

        assertThat(((Disconnect) read().getFirst()).reason()).isEqualTo(ReasonCode.MALFORMED_PACKET);
        assertThat(channel.isOpen()).isFalse();
        assertThat(backend.detached()).isEqualTo(1);
    }

    @Test
    void handlesNothingAfterMalformedPacket() {
        connect();
        byte[] publish = Packets.bytes(Packets.publish("late"));
        byte[] sent = new byte[publish.length + 2];
        System.arraycopy(publish, 0, sent, 2, publish.length);

        write(sent);

        assertThat(backend.published()).isZero();
    }

    @Test // [MQTT-3.14.4-1, MQTT-3.14.4-2]
    void closesAndHandlesNothingAfterDisconnect() {
        connect();

        write(Packets.bytes(
                new Disconnect(ReasonCode.SUCCESS, MqttPacket.ABSENT, null, null, List.of()), Packets.publish("late")));

        assertThat(backend.published()).isZero();
        assertThat(channel.isOpen()).isFalse();
        assertThat(backend.detached()).isEqualTo(1);
    }

    @Test
    void detachesWhenConnectionIsLost() {
        connect();

        channel.close().syncUninterruptibly();

        assertThat(backend.detached()).isEqualTo(1);
    }

    @Test
    void closesWhenSocketFails() {
        connect();

        channel.pipeline().fireExceptionCaught(new IOException("reset"));

        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void keepsSmallRestOfAPacketWithoutTheBufferOfTheRead() {
        connect();
        byte[] publish = Packets.bytes(Packets.publish("a"));
        ByteBuf in = channel.alloc().buffer(64 * 1024);
        in.writeBytes(publish).writeBytes(publish, 0, 3);

        channel.writeInbound(in);
        assertThat(in.refCnt()).isZero();
        write(Arrays.copyOfRange(publish, 3, publish.length));

        assertThat(backend.published()).isEqualTo(2);
    }

    /** Its packets are whole, and it is the broker that does not take them. */
    @Test
    void keepsClientThatIsNotReadThoughMemoryForUnfinishedPacketsIsShort() {
        connect();
        backend.holdAttach();
        EmbeddedChannel paused = new EmbeddedChannel(pipeline());
        paused.freezeTime();
        paused.writeInbound(Unpooled.copiedBuffer(Packets.bytes(Packets.connect("paused"))));
        paused.writeInbound(Unpooled.wrappedBuffer(new byte[100_000])); // of what kind is not looked at yet
        write((byte) 0x30, (byte) 0x80, (byte) 0x80, (byte) 0x04, (byte) 0, (byte) 1, (byte) 'a');
        write(new byte[20_000]); // of 65,536
        assertThat(unfinished.isShort()).isTrue();

        for (int i = 0; i < 3; i++) {
            paused.advanceTimeBy(1, TimeUnit.SECONDS);
            paused.runScheduledPendingTasks();
        }

        assertThat(paused.isOpen()).isTrue();
        paused.finishAndReleaseAll();
        assertThat(unfinished.isShort()).isFalse();
    }

    @Test
    void keepsNoMorePacketsThatHaveToWaitThanThereIsMemoryFor() {
        byte[] large = Packets.bytes(Packets.publish("x".repeat(60_000)));
        backend.fallBehind();
        List<EmbeddedChannel> clients = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            EmbeddedChannel client = new EmbeddedChannel(pipeline());
            clients.add(client);
            client.writeInbound(Unpooled.copiedBuffer(Packets.bytes(Packets.connect("c" + i))));
            client.writeInbound(Unpooled.copiedBuffer(large));
        }
        assertThat(unfinished.held()).isBetween(2L * 60_000, 2L * 60_100);
        assertThat(unfinished.isShort()).isTrue();

        backend.catchUp();
        for (int i = 0; i < 20; i++) {
            clients.forEach(EmbeddedChannel::runPendingTasks);
        }

        assertThat(backend.published()).isEqualTo(10);
        assertThat(unfinished.held()).isZero();
        assertThat(clients).allMatch(client -> client.config().isAutoRead());
        clients.forEach(EmbeddedChannel::finishAndReleaseAll);
    }

    @Test
    void takesSmallPacketsWhenThereIsNoMemoryForLargeOnes() {
        connect();
        unfinished.change(150_000, false);
        byte[] publish = Packets.bytes(Packets.publish("x".repeat(1_000)));
        ByteBuf all = Unpooled.buffer();
        for (int i = 0; i < 50; i++) {
            all.writeBytes(publish);
        }
        channel.writeInbound(all);

        assertThat(backend.published()).isEqualTo(50);
    }

    /** As Netty does when the client has ended its side. */
    @Test
    void keepsNoMoreThanThereIsMemoryForOfClientThatIsReadThoughItIsNotToBe() {
        backend.holdAttach();
        write(Packets.bytes(Packets.connect("c")));
        assertThat(channel.config().isAutoRead()).isFalse();
        for (int i = 0; i < 50 && channel.isOpen(); i++) {
            write(new byte[64 * 1024]);
            assertThat(unfinished.held()).isLessThan(1_000_000);
        }

        assertThat(channel.isOpen()).isFalse();
        assertThat(unfinished.held()).isZero();
    }

    /** Netty's decoder has it, and no packet is in sight. */
    @Test
    void readsNoMoreOfWebSocketFrameThatDoesNotEndWhenMemoryIsShort() {
        EmbeddedChannel web = webSocket();
        connect(web);
        web.writeInbound(partOfFrame(90_000));
        assertThat(web.config().isAutoRead()).isFalse();
        assertThat(unfinished.isShort()).isTrue();

        web.finishAndReleaseAll();
        assertThat(unfinished.isShort()).isFalse();
    }

    /** Netty's handlers ask for more when a frame was for them alone, or is not whole. */
    @Test
    void readsNoMoreOfWebSocketWhoseClientIsNotReadWhateverItSends() {
        AtomicInteger reads = new AtomicInteger();
        EmbeddedChannel web = webSocket();
        web.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
            @Override
            public void read(ChannelHandlerContext context) {
                reads.incrementAndGet();
                context.read();
            }
        });
        backend.holdAttach();
        connect(web);
        assertThat(web.config().isAutoRead()).isFalse();
        int before = reads.get();

        web.writeInbound(Unpooled.wrappedBuffer(new byte[] {(byte) 0x89, (byte) 0x80, 0, 0, 0, 0}));
        web.writeInbound(partOfFrame(90_000));

        assertThat(reads).hasValue(before);
        web.finishAndReleaseAll();
    }

    /** No packet comes meanwhile, nor anything that is not Netty's decoder's. */
    @Test
    void clientLivesWhilePartsOfALargeWebSocketFrameCome() {
        EmbeddedChannel web = webSocket();
        web.freezeTime();
        connect(web, Packets.connect("c", KEEP_ALIVE_SECONDS));
        web.writeInbound(partOfFrame(1_000));
        for (int i = 0; i < 5; i++) {
            pass(web, KEEP_ALIVE_SECONDS);
            assertThat(backend.detached()).isZero();
            web.writeInbound(Unpooled.wrappedBuffer(new byte[1_000]));
        }

        pass(web, KEEP_ALIVE_SECONDS * 3 / 2);

        assertThat(backend.detached()).isEqualTo(1);
        web.finishAndReleaseAll();
    }

    private static void pass(EmbeddedChannel channel, int seconds) {
        channel.advanceTimeBy(seconds, TimeUnit.SECONDS);
        channel.runScheduledPendingTasks();
        channel.runPendingTasks();
    }

    private EmbeddedChannel webSocket() {
        ListenerConfig config = ListenerConfig.builder("test", 0)
                .kind(new ListenerKind.WebSocket("/mqtt"))
                .build();
        return new EmbeddedChannel(pipeline(NetworkConfig.DEFAULT, config));
    }

    private static void connect(EmbeddedChannel web) {
        connect(web, Packets.connect("c"));
    }

    private static void connect(EmbeddedChannel web, MqttPacket packet) {
        byte[] connect = Packets.bytes(packet);
        web.writeInbound(Unpooled.copiedBuffer(WebSocketFuzzTest.UPGRADE));
        web.writeInbound(
                Unpooled.wrappedBuffer(new byte[] {(byte) 0x82, (byte) (0x80 | connect.length)}, new byte[4], connect));
    }

    /** Each frame is a message of its own, whatever of a packet it has. */
    private static List<MqttPacket> packetsOfMessages(EmbeddedChannel web) {
        EmbeddedChannel client = new EmbeddedChannel(new WebSocket13FrameDecoder(false, false, Integer.MAX_VALUE));
        ByteBuf response = web.readOutbound();
        response.release();
        for (ByteBuf out = web.readOutbound(); out != null; out = web.readOutbound()) {
            client.writeInbound(out);
        }
        ByteArrayOutputStream received = new ByteArrayOutputStream();
        for (WebSocketFrame each = client.readInbound(); each != null; each = client.readInbound()) {
            assertThat(each).isInstanceOf(BinaryWebSocketFrame.class).matches(WebSocketFrame::isFinalFragment);
            received.writeBytes(ByteBufUtil.getBytes(each.content()));
            each.release();
        }
        client.finishAndReleaseAll();
        return Packets.decode(received.toByteArray());
    }

    /** Of 131,072 bytes. */
    private static ByteBuf partOfFrame(int payload) {
        byte[] header = {(byte) 0x82, (byte) 0xFF, 0, 0, 0, 0, 0, 2, 0, 0};
        return Unpooled.wrappedBuffer(header, new byte[4], new byte[payload]);
    }

    @Test
    void answersAllPingsOfAReadInOneFlush() {
        AtomicInteger flushed = new AtomicInteger();
        EmbeddedChannel web = webSocket();
        connect(web);
        web.releaseOutbound();
        web.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
            @Override
            public void flush(ChannelHandlerContext context) {
                flushed.incrementAndGet();
                context.flush();
            }
        });

        web.writeInbound(pings(1_000));

        assertThat(flushed).hasValue(1);
        assertThat(web.outboundMessages()).hasSize(1_000);
        web.finishAndReleaseAll();
    }

    @Test
    void keepsFewAnswersForWebSocketThatPingsAndDoesNotRead() {
        ListenerConfig config = ListenerConfig.builder("test", 0)
                .kind(new ListenerKind.WebSocket("/mqtt"))
                .build();
        SlowChannel web = new SlowChannel(pipeline(NetworkConfig.DEFAULT, config));
        connect(web);
        web.runPendingTasks();
        web.take(0);

        web.writeInbound(pings(10_000));

        assertThat(StallGuard.waitingBytes(web)).isBetween(256 * 1024L, 400 * 1024L);
        assertThat(web.config().isAutoRead()).isFalse();
        web.finishAndReleaseAll();
    }

    private static ByteBuf pings(int count) {
        ByteBuf pings = Unpooled.buffer();
        for (int i = 0; i < count; i++) {
            pings.writeBytes(new byte[] {(byte) 0x89, (byte) 0x80, 0, 0, 0, 0});
        }
        return pings;
    }

    /** Its PINGREQ may wait in the socket. */
    @Test
    void keepsSlowClientThatIsNotReadUntilItTakesNothingMore() {
        SlowChannel slow = choked(pipeline());
        for (int i = 0; i < 3; i++) {
            slow.take(1);
            slow.pass(KEEP_ALIVE_SECONDS * 3 / 2);
            assertThat(backend.detached()).isZero();
        }

        slow.pass(KEEP_ALIVE_SECONDS * 3 / 2);

        assertThat(backend.detached()).isEqualTo(1);
        slow.finishAndReleaseAll();
    }

    @Test
    void clientThatWasNotReadHasAllOfItsKeepAliveFromThenOn() {
        SlowChannel slow = choked(pipeline());
        slow.pass(KEEP_ALIVE_SECONDS * 3 / 2 - 1);

        slow.take(Integer.MAX_VALUE);
        slow.pass(KEEP_ALIVE_SECONDS * 3 / 2 - 1);
        assertThat(backend.detached()).isZero();
        slow.pass(1);

        assertThat(backend.detached()).isEqualTo(1);
        slow.finishAndReleaseAll();
    }

    @Test
    void keepsClientThatIsNotReadWhileItTakesALargeMessageSlowly() {
        SlowChannel slow = choked(pipeline());
        for (int i = 0; i < 3; i++) {
            slow.takeBytes(100);
            slow.pass(KEEP_ALIVE_SECONDS * 3 / 2);
            assertThat(backend.detached()).isZero();
        }
        slow.finishAndReleaseAll();
    }

    @Test
    void keepsSlowClientBeyondMaxStallUntilItTakesNothingMore() {
        SlowChannel slow = choked(
                pipeline(NetworkConfig.builder().maxStall(Duration.ofSeconds(4)).build()));
        for (int i = 0; i < 5; i++) {
            slow.takeBytes(100);
            slow.pass(2);
            assertThat(slow.isOpen()).isTrue();
        }
        slow.pass(2);
        assertThat(slow.isOpen()).isTrue();

        slow.pass(2);

        assertThat(slow.isOpen()).isFalse();
        slow.finishAndReleaseAll();
    }

    @Test
    void endsSlowClientThatIsNotReadAfterMaxStall() {
        SlowChannel slow = choked(
                pipeline(NetworkConfig.builder().maxStall(Duration.ofSeconds(4)).build()));
        slow.pass(2);
        slow.pass(1);
        assertThat(slow.isOpen()).isTrue();

        slow.pass(1);

        assertThat(slow.isOpen()).isFalse();
        slow.finishAndReleaseAll();
    }

    @Test
    void publishesWhatClientSendsWhileItTakesALargeMessageSlowly() {
        SlowChannel slow = slow(pipeline());
        backend.flood(1, LARGE_BYTES);
        slow.runPendingTasks();

        for (int i = 0; i < 10; i++) {
            slow.writeInbound(Unpooled.copiedBuffer(Packets.bytes(Packets.publish("a", QoS.AT_LEAST_ONCE, i + 1))));
            slow.runPendingTasks();
        }

        assertThat(backend.published()).isEqualTo(10);
        assertThat(slow.config().isAutoRead()).isTrue();
        slow.finishAndReleaseAll();
    }

    @Test
    void keepsFewAnswersBehindALargeMessage() {
        SlowChannel slow = slow(pipeline());
        backend.flood(1, LARGE_BYTES);
        slow.runPendingTasks();
        byte[] pings = new byte[64 * 1024];
        for (int i = 0; i < pings.length; i += 2) {
            pings[i] = (byte) 0xC0;
        }

        for (int i = 0; i < 100 && slow.config().isAutoRead(); i++) {
            slow.writeInbound(Unpooled.copiedBuffer(pings));
            slow.runPendingTasks();
        }

        assertThat(slow.config().isAutoRead()).isFalse();
        assertThat(backend.detached()).isZero();
        slow.finishAndReleaseAll();
    }

    @Test
    void littleOfLargeMessageWaitsInSocketOfSlowClient() {
        SlowChannel slow = slow(pipeline());
        backend.flood(3, LARGE_BYTES);
        slow.runPendingTasks();
        slow.writeInbound(Unpooled.copiedBuffer(Packets.bytes(new Pingreq())));
        slow.runPendingTasks();

        while (slow.waiting() > 0) {
            assertThat(slow.waiting()).isLessThan(LARGE_BYTES / 4);
            slow.take(1);
        }

        List<MqttPacket> taken = Packets.decode(slow.taken.toByteArray());
        assertThat(taken)
                .hasExactlyElementsOfTypes(Connack.class, Publish.class, Pingresp.class, Publish.class, Publish.class);
        assertThat(((Publish) taken.getLast()).payload()).hasSize(LARGE_BYTES).containsOnly('x');
        slow.finishAndReleaseAll();
    }

    @Test
    void connectionIsClosedThatHasHalfOfALargeMessageWhenMemoryIsUsedUp() {
        SlowChannel slow = slow(pipeline());
        backend.flood(1, LARGE_BYTES);
        slow.runPendingTasks();
        slow.config().setAllocator(withoutMemory(slow.alloc()));

        while (slow.isOpen() && slow.waiting() > 0) {
            slow.take(1);
        }
        assertThat(slow.isOpen()).isFalse();
        assertThat(flushes.withoutMemory).isOne();
        slow.finishAndReleaseAll();
    }

    @Test
    void connectionIsClosedOnceWhenThereIsNoMemoryForItsAnswer() {
        connect();
        channel.config().setAllocator(withoutMemory(channel.alloc()));

        write(Packets.bytes(new Pingreq(), new Pingreq()));

        assertThat(channel.isOpen()).isFalse();
        assertThat(flushes.withoutMemory).isOne();
    }

    @Test
    void connectionIsClosedOnceWhenThereIsNoMemoryForADelivery() {
        connect();
        channel.config().setAllocator(withoutMemory(channel.alloc()));

        backend.flood(2);
        channel.runPendingTasks();

        assertThat(channel.isOpen()).isFalse();
        assertThat(flushes.withoutMemory).isOne();
    }

    @Test
    void connectionIsClosedOnceWhenThereIsNoMemoryForALargerBuffer() {
        connect();
        channel.config().setAllocator(withoutGrowth(channel.alloc()));

        backend.flood(2);
        channel.runPendingTasks();

        assertThat(channel.isOpen()).isFalse();
        assertThat(flushes.withoutMemory).isOne();
    }

    @Test
    void sessionIsLeftWhenThereIsNoMemoryForTheLastPacket() {
        connect();
        channel.config().setAllocator(withoutMemory(channel.alloc()));

        channel.pipeline().get(SocketHandler.class).sendAway(Farewell.stopping(null));
        channel.runPendingTasks();

        assertThat(channel.isOpen()).isFalse();
        assertThat(backend.detached()).isEqualTo(1);
        assertThat(flushes.withoutMemory).isOne();
    }

    @Test
    void connectionIsCountedThatIsClosedForWantOfMemoryAlone() {
        channel.pipeline().fireExceptionCaught(new IOException("reset"));
        assertThat(channel.isOpen()).isFalse();
        assertThat(flushes.withoutMemory).isZero();

        EmbeddedChannel another = new EmbeddedChannel(pipeline());
        another.pipeline().fireExceptionCaught(new DecoderException(new OutOfMemoryError("direct memory is used up")));
        another.pipeline().fireExceptionCaught(new OutOfMemoryError("direct memory is used up"));
        assertThat(another.isOpen()).isFalse();
        assertThat(flushes.withoutMemory).isOne();
    }

    private static ByteBufAllocator withoutMemory(ByteBufAllocator allocator) {
        return withBuffers(allocator, _ -> {
            throw new OutOfMemoryError("direct memory is used up");
        });
    }

    private static ByteBufAllocator withoutGrowth(ByteBufAllocator allocator) {
        return withBuffers(
                allocator, bytes -> new UnpooledDirectByteBuf(UnpooledByteBufAllocator.DEFAULT, bytes, 1 << 20) {
                    @Override
                    public ByteBuf capacity(int newCapacity) {
                        throw new OutOfMemoryError("direct memory is used up");
                    }
                });
    }

    private static ByteBufAllocator withBuffers(ByteBufAllocator allocator, IntFunction<ByteBuf> ioBuffers) {
        return (ByteBufAllocator) Proxy.newProxyInstance(
                ByteBufAllocator.class.getClassLoader(),
                new Class<?>[] {ByteBufAllocator.class},
                (_, method, arguments) -> method.getName().equals("ioBuffer")
                        ? ioBuffers.apply((Integer) arguments[0])
                        : method.invoke(allocator, arguments));
    }

    @Test
    void largeMessageGoesOverWebSocketWithoutContinuationFrames() {
        EmbeddedChannel web = webSocket();
        connect(web);
        backend.flood(2, LARGE_BYTES);
        backend.flood(1);
        web.runPendingTasks();

        assertThat(packetsOfMessages(web))
                .hasExactlyElementsOfTypes(Connack.class, Publish.class, Publish.class, Publish.class);
        web.finishAndReleaseAll();
    }

    @Test
    void tellsSlowClientWhyItIsClosedBehindTheLargeMessageThatIsOnItsWay() {
        SlowChannel slow = slow(pipeline());
        backend.flood(1, LARGE_BYTES);
        slow.runPendingTasks();

        slow.pipeline().get(SocketHandler.class).sendAway(Farewell.stopping(null));
        slow.runPendingTasks();
        assertThat(slow.isOpen()).isTrue();
        slow.take(Integer.MAX_VALUE);

        assertThat(Packets.decode(slow.taken.toByteArray()))
                .hasExactlyElementsOfTypes(Connack.class, Publish.class, Disconnect.class);
        assertThat(slow.isOpen()).isFalse();
        slow.finishAndReleaseAll();
    }

    @Test
    void doesNotWaitLongForSlowClientThatIsClosedWhileALargeMessageIsOnItsWay() {
        SlowChannel slow = slow(pipeline());
        backend.flood(1, LARGE_BYTES);
        slow.runPendingTasks();

        slow.pipeline().get(SocketHandler.class).sendAway(Farewell.stopping(null));
        slow.pass((int) NetworkConfig.DEFAULT.linger().toSeconds());

        assertThat(slow.isOpen()).isFalse();
        slow.finishAndReleaseAll();
    }

    /** A client that is connected, and takes nothing more. */
    private static SlowChannel slow(Pipeline pipeline) {
        SlowChannel slow = new SlowChannel(pipeline);
        slow.freezeTime();
        slow.writeInbound(Unpooled.copiedBuffer(Packets.bytes(Packets.connect("slow", KEEP_ALIVE_SECONDS))));
        slow.take(0);
        return slow;
    }

    /** A client of which nothing is read any more, as too many answers wait for it. */
    private static SlowChannel choked(Pipeline pipeline) {
        SlowChannel slow = slow(pipeline);
        for (int i = 0; i < 10; i++) {
            ChannelFuture _ = slow.write(Unpooled.wrappedBuffer(new byte[32 * 1024]));
        }
        slow.writeInbound(Unpooled.copiedBuffer(Packets.bytes(new Pingreq())));
        assertThat(slow.config().isAutoRead()).isFalse();
        return slow;
    }

    /** A socket that takes so many buffers, or bytes, and no more. */
    private static final class SlowChannel extends EmbeddedChannel {
        private final ByteArrayOutputStream taken = new ByteArrayOutputStream();
        private int room = Integer.MAX_VALUE;
        private int roomBytes;

        private SlowChannel(Pipeline pipeline) {
            super(pipeline);
        }

        @Override
        protected void doWrite(ChannelOutboundBuffer in) {
            for (; room > 0 && in.current() != null; room--) {
                taken.writeBytes(ByteBufUtil.getBytes((ByteBuf) in.current()));
                in.remove();
            }
            in.removeBytes(roomBytes);
            roomBytes = 0;
        }

        private void takeBytes(int bytes) {
            roomBytes = bytes;
            take(0);
        }

        private void take(int buffers) {
            room = buffers;
            flush();
            runPendingTasks();
        }

        private long waiting() {
            return unsafe().outboundBuffer().totalPendingWriteBytes();
        }

        private void pass(int seconds) {
            SocketHandlerTest.pass(this, seconds);
        }
    }

    @Test
    void connectionThatIsClosedAtOnceLeavesNothing() {
        channel.finishAndReleaseAll();
        ListenerConfig config = ListenerConfig.tcp("test", 0);
        ListenerAdmission full = new ListenerAdmission(config.admission(), System::nanoTime);
        ListenerAdmission.Verdict verdict = full.refuse(ReasonCode.BANNED);
        while (!(verdict instanceof ListenerAdmission.Rejected)) {
            verdict = full.refuse(ReasonCode.BANNED);
        }
        full.turnAway(true, null);

        EmbeddedChannel rejected = new EmbeddedChannel(pipeline(NetworkConfig.DEFAULT, config, full));
        rejected.runPendingTasks();

        assertThat(rejected.isOpen()).isFalse();
        assertThat(rejected.closeFuture()).isDone();
        assertThat(open.size()).isZero();
        assertThat(silent.count()).isZero();
    }

    @Test // [MQTT-4.11]
    void tellsClientWhereToGoWhenListenerTurnsAllAway() {
        ListenerConfig config = ListenerConfig.tcp("test", 0);
        ListenerAdmission drained = new ListenerAdmission(config.admission(), System::nanoTime);
        drained.turnAway(true, "other.example");
        EmbeddedChannel away = new EmbeddedChannel(pipeline(NetworkConfig.DEFAULT, config, drained));

        away.writeInbound(Unpooled.copiedBuffer(Packets.bytes(Packets.connect("c"))));
        away.runPendingTasks();

        Connack refusal = (Connack) read(away).getFirst();
        assertThat(refusal.reason()).isEqualTo(ReasonCode.USE_ANOTHER_SERVER);
        assertThat(refusal.properties().serverReference()).isEqualTo("other.example");
    }

    @Test
    void tellsClientWhenNodeShutsDown() {
        connect();

        channel.pipeline().get(SocketHandler.class).sendAway(Farewell.stopping(null));

        assertThat(((Disconnect) read().getFirst()).reason()).isEqualTo(ReasonCode.SERVER_SHUTTING_DOWN);
        assertThat(channel.isOpen()).isFalse();
    }

    private void connect() {
        write(Packets.bytes(Packets.connect("c")));
        assertThat(read()).hasExactlyElementsOfTypes(Connack.class);
    }

    private void write(byte... bytes) {
        channel.writeInbound(Unpooled.copiedBuffer(bytes));
        channel.runPendingTasks();
    }

    private List<MqttPacket> read() {
        return read(channel);
    }

    private static List<MqttPacket> read(EmbeddedChannel channel) {
        ByteArrayOutputStream sent = new ByteArrayOutputStream();
        for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
            sent.writeBytes(ByteBufUtil.getBytes(out));
            out.release();
        }
        return Packets.decode(sent.toByteArray());
    }

    private Pipeline pipeline() {
        return pipeline(NetworkConfig.DEFAULT);
    }

    private Pipeline pipeline(NetworkConfig network) {
        return pipeline(network, ListenerConfig.tcp("test", 0));
    }

    private Pipeline pipeline(NetworkConfig network, ListenerConfig config) {
        return pipeline(network, config, new ListenerAdmission(config.admission(), System::nanoTime));
    }

    private Pipeline pipeline(NetworkConfig network, ListenerConfig config, ListenerAdmission admission) {
        ListenerContext listener = new ListenerContext(
                config,
                network,
                admission,
                FakeServices.on(backend),
                backend.target,
                new LoopMailboxes(),
                unfinished,
                new StrayClients(config, System::nanoTime, _ -> {}),
                flushes);
        return new Pipeline(listener, SocketLayer.PLAIN, open, silent);
    }

    private static final class Flushes implements NetworkRecorder {
        private final List<Integer> packets = new ArrayList<>();
        private int withoutMemory;

        @Override
        public void withoutMemory() {
            withoutMemory++;
        }

        @Override
        public void sent(int sentPackets, int bytes) {
            packets.add(sentPackets);
        }
    }
}
