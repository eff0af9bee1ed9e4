package io.tributary.broker.network;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.tributary.broker.connection.ClientConnection;
import io.tributary.broker.connection.ConnectionOrigin;
import io.tributary.broker.connection.Farewell;
import io.tributary.broker.connection.PacketSink;
import io.tributary.broker.loop.LoopMailbox;
import io.tributary.broker.loop.TemplateCache;
import io.tributary.broker.network.ListenerAdmission.Verdict;
import io.tributary.common.codec.MqttDecoder;
import io.tributary.common.codec.MqttEncoder;
import io.tributary.common.codec.PublishTemplate;
import io.tributary.common.codec.PublishVariant;
import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.ReasonCode;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The socket of one {@link ClientConnection}: its bytes become packets, and the connection's packets become bytes. The
 * last handler of a pipeline. All packets of a read are handled before anything is flushed; while the connection takes
 * none, bytes that are here stay as they are and no more are read. After a violation nothing more is handled.
 *
 * <p>A client may end its side while the connection takes no packets. What it sent before is taken all the same when
 * the connection takes packets again, for some time; nothing more is written meanwhile.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what becomes of it shows in the channel's own events
final class SocketHandler extends ChannelInboundHandlerAdapter implements PacketSink {
    private static final Logger LOG = LoggerFactory.getLogger(SocketHandler.class);

    /** How many bytes of answers may wait beyond the water mark for messages before nothing more is read. */
    static final long MAX_WAITING_BYTES = 256 * 1024;

    /** For how long what a client has sent is taken after its end. */
    private static final long LONGEST_AFTER_END_SECONDS = 10;

    /** How often a large message is gone on with while another one is waiting, before others have their turn. */
    private static final int MOST_PARTS_AT_ONCE = 32;

    private final Channel channel;
    private final ListenerContext listener;
    private final Verdict verdict;
    private final ClientConnection connection;
    private final MqttDecoder decoder;
    private final ReceivedBytes received;
    private final LoopMailbox mailbox;
    private final OutboundBatch outbound;
    private final StallGuard stall;
    private final UnfinishedPacket unfinished;
    private @Nullable EntryBytes entry;
    /**
     * Counts the frame that has not ended; null unless it is a WebSocket. Packets that go out in a frame are whole, for
     * some clients expect no part of one; only a payload beyond the water mark for messages goes out in several.
     */
    private @Nullable UnfinishedFrame frame;

    private @Nullable MqttEncoder encoder;
    /** The size of the packet that the connection holds: it counts as if it had not been decoded. */
    private int heldBytes;

    private boolean decoding;
    private boolean choked;
    /** What waited to be written when it became too much, or when that was asked last. */
    private long waitingBytes;

    private boolean relieving;
    /** The socket took no more when it was asked last. */
    private boolean full;

    private boolean closing;
    private boolean mayEndHalf;
    private boolean isEnded;
    private int packets;
    private int bytes;

    /** Creates the handler of a channel that is registered with its event loop. */
    SocketHandler(Channel channel, ListenerContext listener, Verdict verdict) {
        this.channel = channel;
        this.listener = listener;
        this.verdict = verdict;
        mailbox = listener.mailboxes().of(channel.eventLoop());
        decoder = new MqttDecoder(listener.config().limits().packets());
        received = new ReceivedBytes(channel.alloc());
        outbound = new OutboundBatch(channel, mailbox, listener.recorder());
        stall = new StallGuard(channel, listener.network().maxStall(), this::stalled);
        unfinished = new UnfinishedPacket(
                channel.eventLoop(),
                listener.unfinished(),
                this::isHeldByBroker,
                this::resumeReading,
                this::unfinished);
        ListenerAdmission.Refused refused = verdict instanceof ListenerAdmission.Refused how ? how : null;
        ConnectionOrigin peer = new ConnectionOrigin(
                ClientOrigin.text(channel),
                ClientOrigin.internetAddress(channel),
                listener.name(),
                () -> ClientOrigin.certificateSubject(channel, listener.config()),
                () -> ClientOrigin.certificate(channel, listener.config()),
                refused == null ? null : refused.reason(),
                refused == null ? null : refused.serverReference());
        connection = new ClientConnection(
                listener.services(), listener.connections(), listener.config().limits(), peer, mailbox, this);
    }

    /** The node sends its clients away: this one is told, and the connection closed; event loop only. */
    void sendAway(Farewell how) {
        connection.sendAway(how);
    }

    /** The client does not speak MQTT, or not in the way of the listener: it is disconnected; event loop only. */
    void turnAway(MqttException why) {
        connection.undecodable(why, null);
    }

    /** It is the socket of a WebSocket; frames that have not ended are counted as packets are. */
    UnfinishedFrame becomeWebSocket() {
        UnfinishedFrame counted = new UnfinishedFrame();
        frame = counted;
        return counted;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        entry = context.pipeline().get(EntryBytes.class);
        listener.recorder().opened(listener.name());
        connection.open();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf in = (ByteBuf) message;
        if (closing) {
            in.release();
            return;
        }
        bytes += in.readableBytes();
        received.add(in);
        connection.touch();
        decode();
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        listener.recorder().received(packets, bytes);
        packets = 0;
        bytes = 0;
        if (frame != null && frame.bytes() > 0) {
            connection.touch();
            decode(); // counts them
        }
        chokeWhenFull(); // handlers before this one answer, too: a WebSocket's pings
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        stall.writable(channel.isWritable());
        full &= !channel.isWritable();
        if (!relieving) {
            goOnWriting();
        } else if (channel.isWritable()) {
            channel.eventLoop().execute(this::goOnWriting);
        }
    }

    private void goOnWriting() {
        outbound.goOn();
        if (!takesMessages()) {
            return;
        }
        full = false;
        connection.onWritable();
        if (choked) {
            choked = false;
            channel.config().setAutoRead(closing);
            decode();
        }
    }

    /** Who ends TLS would end the connection without it. */
    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event == SslCloseCompletionEvent.SUCCESS || event == ChannelInputShutdownEvent.INSTANCE) {
            ended();
        }
    }

    private void ended() {
        if (closing || !isPaused()) {
            channel.close();
        } else if (!isEnded) {
            isEnded = true;
            channel.eventLoop().schedule(() -> channel.close(), LONGEST_AFTER_END_SECONDS, TimeUnit.SECONDS);
            decode(); // nothing is written any more, so all is taken that the connection takes
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        lost();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        lost();
        stall.stop();
        listener.admission().release(verdict);
        listener.recorder().closed(listener.name());
        unfinished.release();
        outbound.release();
        received.release();
    }

    private void lost() {
        if (!closing && isPaused()) {
            closing = true;
            heedDisconnect();
        }
        closing = true;
        connection.connectionLost();
    }

    @Override
    public void heedDisconnect() {
        ByteBuf rest = decoding ? null : received.view();
        if (rest == null) {
            return;
        }
        try {
            MqttPacket packet = decoder.decode(rest);
            while (packet != null && !(packet instanceof Disconnect)) {
                packet = decoder.decode(rest);
            }
            if (packet != null) {
                connection.handle(packet);
            }
        } catch (MqttException violation) {
            LOG.debug("what {} has sent last is no MQTT", ClientOrigin.text(channel), violation);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        LOG.debug("connection from {} is closed", ClientOrigin.text(channel), cause);
        BufferShortage.closes(channel, cause, listener.recorder());
        outbound.release(); // a WebSocket that is closing takes nothing, and seems to take all
        channel.close();
    }

    @Override
    public void known() {
        if (entry != null) {
            channel.pipeline().remove(entry);
            entry = null;
        }
    }

    @Override
    public void use(ProtocolVersion version, int maximumPacketSize) {
        encoder = new MqttEncoder(version, maximumPacketSize);
    }

    @Override
    public void send(MqttPacket packet) {
        if (!closing && !isEnded && encoder != null && encode(encoder, packet)) {
            outbound.added();
            chokeWhenFull();
        }
    }

    private boolean encode(MqttEncoder to, MqttPacket packet) {
        try {
            return to.encode(packet, outbound.buffer());
        } catch (OutOfMemoryError e) {
            throw closesForWantOfMemory(e);
        }
    }

    /** The connection is closed, unless it is already; gives the failure. */
    private OutOfMemoryError closesForWantOfMemory(OutOfMemoryError failure) {
        BufferShortage.closes(channel, failure, listener.recorder());
        channel.close();
        return failure;
    }

    @Override
    public boolean publish(PublishTemplate template, PublishVariant variant) {
        if (closing || isEnded || encoder == null) {
            return true; // not read any more; decided again when the connection goes on reading
        }
        boolean written = encode(encoder, template, variant);
        if (written) {
            outbound.added();
        }
        return written;
    }

    private boolean encode(MqttEncoder to, PublishTemplate template, PublishVariant variant) {
        try {
            return template.payloadSize() < TemplateCache.LARGE_BYTES
                    ? to.encode(template, variant, outbound.buffer())
                    : publishLarge(to, template, variant);
        } catch (OutOfMemoryError e) {
            throw closesForWantOfMemory(e);
        }
    }

    private boolean publishLarge(MqttEncoder to, PublishTemplate template, PublishVariant variant) {
        assert !outbound.isInParts();
        if (template.payloadSize() > listener.network().writeHighBytes()) {
            boolean written = to.encodeHead(template, variant, outbound.buffer());
            if (written) {
                outbound.appendInParts(template);
            }
            return written;
        }
        ByteBuf payload = frame == null ? mailbox.templates().sharedPayload(template, channel.alloc()) : null;
        return payload == null ? to.encode(template, variant, outbound.buffer()) : send(to, template, variant, payload);
    }

    private boolean send(MqttEncoder to, PublishTemplate template, PublishVariant variant, ByteBuf payload) {
        boolean written = false;
        try {
            written = to.encodeHead(template, variant, outbound.buffer());
        } finally {
            if (!written) {
                payload.release();
            }
        }
        if (written) {
            outbound.append(payload);
        }
        return written;
    }

    /**
     * Whether the socket takes more. What was written in this turn of the event loop is sent before the answer is no: a
     * burst of many publishers in one turn is not more than a client can take because nothing was flushed yet.
     */
    @Override
    public boolean isWritable() {
        if (closing || isEnded) {
            return false;
        }
        if (takesMessages()) {
            return true;
        }
        if (!full) {
            relieve();
            full = !takesMessages();
        }
        return !full;
    }

    private boolean takesMessages() {
        return channel.isWritable() && !outbound.isInParts();
    }

    /** Who asks is in the middle of writing: that the socket takes more is told to the connection later. */
    private void relieve() {
        relieving = true;
        try {
            outbound.send();
            for (int i = 0; outbound.isInParts() && i < MOST_PARTS_AT_ONCE; i++) {
                outbound.goOn();
            }
        } finally {
            relieving = false;
        }
    }

    /** While nothing is read, few answers are added: nearly always it is the client that makes a difference. */
    @Override
    public boolean wasHeldBack() {
        if (!choked) {
            return unfinished.isWaiting();
        }
        long before = waitingBytes;
        waitingBytes = waitingBytes();
        return waitingBytes != before;
    }

    @Override
    public void resumeReading() {
        decode();
    }

    @Override
    public void close(@Nullable MqttPacket last) {
        if (closing) {
            return;
        }
        if (last != null && channel.isOpen()) { // else there was no memory for a packet before
            sendLast(last);
        }
        closing = true;
        outbound.send();
        known(); // what the other side sends from now on is dropped as it comes
        if (!decoding) {
            received.release();
            unfinished.release();
        }
        if (isEnded) {
            channel.close();
        } else {
            channel.config().setAutoRead(true);
            LingeringClose.begin(channel, outbound, listener.network().linger());
        }
    }

    /** A connection that ends for whatever reason ends without its last packet, where there is no memory for that. */
    private void sendLast(MqttPacket last) {
        try {
            send(last);
        } catch (OutOfMemoryError closed) {
            LOG.debug("{} is not told why it is closed", ClientOrigin.text(channel), closed);
        }
    }

    private void decode() {
        if (decoding || closing) {
            return;
        }
        decoding = true;
        boolean decoded = false;
        try {
            while (mayDecode() && decodeNext()) {
                packets++;
                decoded = true;
            }
        } finally {
            decoding = false;
        }
        if (closing) {
            received.release();
        } else {
            received.keepRest();
        }
        boolean hasWaited = unfinished.isWaiting();
        holdRest(decoded);
        if (hasWaited && !unfinished.isWaiting()) {
            decode(); // what was left because of that
            return;
        }
        endHalf(isPaused());
        if (!isEnded) {
            read(closing || mayRead());
        } else if (mayRead()) {
            channel.close(); // all is taken
        }
    }

    private void holdRest(boolean isAnother) {
        heldBytes = connection.holdsPacket() ? heldBytes : 0;
        int rest = received.size() + heldBytes;
        int memory = received.memory() + heldBytes;
        if (frame != null) {
            rest += frame.bytes();
            memory += frame.memory();
        }
        unfinished.hold(rest, memory, isAnother);
    }

    private void read(boolean may) {
        if (may && !channel.config().isAutoRead()) {
            connection.readAgain();
        }
        channel.config().setAutoRead(may);
    }

    /** Whether the client's end, which is seen even while nothing is read, leaves the connection open. */
    private void endHalf(boolean may) {
        if (may != mayEndHalf && !isEnded) {
            mayEndHalf = may;
            channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, may);
        }
    }

    @Override
    public boolean isUnread() {
        return choked || unfinished.isWaiting();
    }

    /** Whether the client is read later, and what it has sent is to be taken then, even if it sends no more. */
    private boolean isPaused() {
        return connection.isConnected() && (isUnread() || !connection.mayRead());
    }

    private boolean mayRead() {
        return !closing && (isEnded || !isUnread()) && connection.mayRead();
    }

    private boolean mayDecode() {
        return mayRead() && (isEnded || !received.hasLarge() || unfinished.mayBegin());
    }

    private boolean isHeldByBroker() {
        return connection.isHeldByBroker();
    }

    private boolean decodeNext() {
        MqttPacket packet;
        try {
            packet = received.next(decoder);
        } catch (MqttException violation) {
            refuse(violation);
            return false;
        }
        if (packet == null) {
            return false;
        }
        if (entry != null) {
            entry.whole();
        }
        connection.handle(packet);
        heldBytes = connection.holdsPacket() ? received.packetBytes() : 0;
        return true;
    }

    /** Gives the client's violation to the connection, which answers in the form that the client understands best. */
    private void refuse(MqttException violation) {
        ProtocolVersion version = decoder.version();
        if (encoder == null && version != null) {
            use(version, ConnectProperties.LARGEST_PACKET);
        }
        connection.undecodable(violation, decoder.refusal(violation));
    }

    /**
     * A client that sends but does not read must not make the broker keep ever more answers for it. The rest of a large
     * message is none.
     */
    private void chokeWhenFull() {
        if (!choked && channel.bytesBeforeWritable() + outbound.behind() > MAX_WAITING_BYTES) {
            choked = true;
            waitingBytes = waitingBytes();
            channel.config().setAutoRead(false);
            endHalf(isPaused());
        }
    }

    private long waitingBytes() {
        return StallGuard.waitingBytes(channel) + outbound.unwritten();
    }

    private void unfinished() {
        refuse(new MqttException(
                ReasonCode.QUOTA_EXCEEDED, "a large packet does not end or waits, and memory is short"));
    }

    private void stalled() {
        LOG.debug("connection from {} is closed: it reads nothing", ClientOrigin.text(channel));
        listener.recorder().stalled();
        channel.close();
    }
}
