package io.tributary.broker.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.tributary.common.codec.DecoderLimits;
import io.tributary.common.codec.MqttDecoder;
import io.tributary.common.codec.Varint;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.ProtocolVersion;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReceivedBytesTest {
    private final MqttDecoder decoder = MqttDecoder.forClient(ProtocolVersion.MQTT_3_1_1, DecoderLimits.DEFAULT);
    private final ReceivedBytes received = new ReceivedBytes(UnpooledByteBufAllocator.DEFAULT);
    private final List<ByteBuf> reads = new ArrayList<>();

    /** Packets of all sizes, cut anywhere, some reads of which nothing is taken at once. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void packetsComeInTheirOrderHoweverTheyWereCut(long seed) {
        Random random = new Random(seed);
        ByteBuf stream = Unpooled.buffer();
        for (int i = 0; i < 200; i++) {
            write(i, random.nextInt(10) == 0 ? random.nextInt(100_000) : random.nextInt(300), stream);
        }
        int taken = 0;
        while (stream.isReadable()) {
            int longest = random.nextBoolean() ? 70_000 : 200;
            read(stream, Math.min(stream.readableBytes(), 1 + random.nextInt(longest)));
            if (random.nextInt(4) > 0) {
                taken = take(taken, random.nextInt(3) == 0 ? 2 : Integer.MAX_VALUE);
            }
            received.keepRest();
        }
        assertThat(take(taken, Integer.MAX_VALUE)).isEqualTo(200);
        received.keepRest();
        assertThat(received.size()).isZero();
        assertThat(reads).allMatch(read -> read.refCnt() == 0);
    }

    @Test
    void whatIsBehindTheEndOfPacketIsNotCopied() {
        ByteBuf stream = Unpooled.buffer();
        write(0, 20_000, stream);
        write(1, 20_000, stream);
        read(stream, 5_000);
        received.keepRest();
        read(stream, stream.readableBytes());
        assertThat(take(0, 1)).isEqualTo(1);
        assertThat(received.memory()).as("of the first packet").isLessThan(40_000);
        assertThat(take(1, 1)).isEqualTo(2);
        received.release();
        assertThat(reads).allMatch(read -> read.refCnt() == 0);
    }

    /** A sink that takes all, with another read before the first one was looked at. */
    @Test
    void readsThatComeBeforeAnyPacketIsTakenAreKept() {
        ByteBuf stream = Unpooled.buffer();
        for (int i = 0; i < 5; i++) {
            write(i, 1_000, stream);
        }
        read(stream, 1_500);
        assertThat(take(0, Integer.MAX_VALUE)).isEqualTo(1);
        received.keepRest();
        read(stream, 1_500);
        read(stream, stream.readableBytes());
        assertThat(take(1, Integer.MAX_VALUE)).isEqualTo(5);
        received.release();
        assertThat(reads).allMatch(read -> read.refCnt() == 0);
    }

    /** They are joined when what was read ends a packet, and when nothing more is taken of it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void everyBufferIsReleasedOnceWhenThereIsNoMemoryToJoinThem(boolean atEndOfPacket) {
        ShortAllocator memory = new ShortAllocator();
        ReceivedBytes scarce = new ReceivedBytes((ByteBufAllocator) Proxy.newProxyInstance(
                ByteBufAllocator.class.getClassLoader(), new Class<?>[] {ByteBufAllocator.class}, memory));
        ByteBuf stream = Unpooled.buffer();
        write(0, 20_000, stream);
        write(1, 40_000, stream);
        ByteBuf begin =
                UnpooledByteBufAllocator.DEFAULT.directBuffer(5_000, 5_000).writeBytes(stream, 5_000);
        ByteBuf rest = UnpooledByteBufAllocator.DEFAULT.directBuffer(60_000).writeBytes(stream);
        reads.addAll(List.of(begin, rest));
        scarce.add(begin);
        memory.isShort = atEndOfPacket;
        if (atEndOfPacket) {
            assertThatThrownBy(() -> scarce.add(rest)).isInstanceOf(OutOfMemoryError.class);
        } else {
            scarce.add(rest);
            memory.isShort = true;
            assertThatThrownBy(scarce::keepRest).isInstanceOf(OutOfMemoryError.class);
        }
        scarce.release();
        assertThat(reads).allMatch(read -> read.refCnt() == 0);
    }

    private void read(ByteBuf stream, int length) {
        ByteBuf read = UnpooledByteBufAllocator.DEFAULT.directBuffer(length).writeBytes(stream, length);
        reads.add(read);
        received.add(read);
    }

    /** How many packets are taken after those before, at most so many. */
    private int take(int before, int most) {
        int taken = 0;
        MqttPacket packet = most > 0 ? received.next(decoder) : null;
        while (packet != null) {
            assertThat(((Publish) packet).topic()).isEqualTo("t/" + (before + taken));
            taken++;
            packet = taken < most ? received.next(decoder) : null;
        }
        return before + taken;
    }

    private static void write(int number, int payload, ByteBuf to) {
        byte[] topic = ("t/" + number).getBytes(StandardCharsets.UTF_8);
        to.writeByte(0x30);
        Varint.write(2 + topic.length + payload, to);
        to.writeShort(topic.length).writeBytes(topic).writeZero(payload);
    }

    /** Its buffers do not grow, and there are none while memory is short. */
    private final class ShortAllocator implements InvocationHandler {
        private boolean isShort;

        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
            if (!method.getName().equals("buffer")) {
                return method.invoke(UnpooledByteBufAllocator.DEFAULT, arguments);
            }
            if (isShort) {
                throw new OutOfMemoryError("direct memory is used up");
            }
            int size = (Integer) arguments[0];
            ByteBuf buffer = UnpooledByteBufAllocator.DEFAULT.directBuffer(size, size);
            reads.add(buffer);
            return buffer;
        }
    }
}
