package io.tributary.broker.subscription;

import io.tributary.common.event.ByteReader;
import io.tributary.common.event.ByteWriter;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
import io.tributary.common.event.PrincipalFormat;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.UnreadableRecordException;
import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.topic.TopicFilter;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The stored form of a session's subscriptions: a format byte, the identity, the epoch and the revision, their number
 * with the kind of queue in the highest two bits, and for each a byte of options, its identifier (where it has one),
 * and the filter with its length in UTF-8 bytes, in four bytes where two do not hold it; from format 2 on, whose
 * session it is. Numbers are big-endian.
 *
 * <p>What is asked for each message is read where it is, without decoding the rest; the bytes may then begin anywhere
 * in others.
 */
final class SubscriptionsCodec {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);

    // Where things are, from the format byte on.
    private static final int IDENTITY = 1;
    private static final int EPOCH = IDENTITY + Long.BYTES;
    private static final int COUNT = EPOCH + Long.BYTES + Integer.BYTES;
    private static final int SUBSCRIPTIONS = COUNT + Integer.BYTES;

    private static final int QUEUE_SHIFT = 30;
    private static final int COUNT_MASK = (1 << QUEUE_SHIFT) - 1;

    private static final int QOS_MASK = 0b0000_0011;
    private static final int NO_LOCAL = 0b0000_0100;
    private static final int RETAIN_AS_PUBLISHED = 0b0000_1000;
    private static final int HAS_ID = 0b0001_0000;
    /** Of a tenant's filter: MQTT has no longer strings than 65,535 bytes. */
    private static final int IS_LONG = 0b0010_0000;

    private static final int ALL_OPTIONS = 0b0011_1111;
    private static final int LARGEST_SHORT = 65_535;

    private SubscriptionsCodec() {}

    /** Encodes a client's in the order of their filters: the same subscriptions are the same bytes. */
    static byte[] encode(String clientId, SessionSubscriptions subscriptions, int format) {
        List<SubscriptionRequest> sorted = subscriptions.byFilter().values().stream()
                .sorted(Comparator.comparing(request -> request.filter().toString()))
                .toList();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(32 + 32 * sorted.size());
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(format);
            out.writeLong(subscriptions.identity());
            out.writeLong(subscriptions.epoch());
            out.writeInt(subscriptions.revision());
            out.writeInt(sorted.size() | subscriptions.kind().code() << QUEUE_SHIFT);
            for (SubscriptionRequest request : sorted) {
                write(out, request);
            }
            if (format >= PrincipalFormat.FIRST) {
                ByteWriter writer = new ByteWriter(2);
                PrincipalFormat.write(writer, subscriptions.principal(), clientId, format);
                out.write(writer.toBytes());
            }
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return bytes.toByteArray();
    }

    /**
     * Decodes what {@link #encode} made of the same client's.
     *
     * @throws UnreadableRecordException when the bytes are damaged or of a newer format
     */
    static SessionSubscriptions decode(String clientId, byte[] bytes) {
        ByteReader reader = new ByteReader(bytes);
        reader.expectFormat(RecordFormat.NEWEST);
        try {
            ByteBuffer in = ByteBuffer.wrap(bytes).position(IDENTITY);
            long identity = in.getLong();
            long epoch = in.getLong();
            int revision = in.getInt();
            int countAndQueue = in.getInt();
            int kindCode = countAndQueue >>> QUEUE_SHIFT;
            check(kindCode <= ClientKind.SMALL_APPLICATION.code(), "client kind " + kindCode);
            ClientKind kind = ClientKind.of(kindCode);
            int count = countAndQueue & COUNT_MASK;
            Map<TopicFilter, SubscriptionRequest> byFilter = new HashMap<>();
            for (int i = 0; i < count; i++) {
                SubscriptionRequest request = read(in);
                byFilter.put(request.filter(), request);
            }
            Principal principal = readPrincipal(bytes, in.position(), clientId, reader.format());
            return new SessionSubscriptions(identity, epoch, revision, kind, principal, byFilter);
        } catch (BufferUnderflowException e) {
            throw new UnreadableRecordException(
                    "subscriptions: the record is cut off after " + bytes.length + " bytes");
        } catch (MqttException e) {
            throw new UnreadableRecordException("subscriptions: damaged record, " + e.getMessage());
        }
    }

    /** The session whose subscriptions begin there. */
    static long identity(byte[] bytes, int from) {
        return (long) LONG.get(bytes, from + IDENTITY);
    }

    /** The epoch of the connection that changed them last. */
    static long epoch(byte[] bytes, int from) {
        return (long) LONG.get(bytes, from + EPOCH);
    }

    /** How many there are. */
    static int count(byte[] bytes, int from) {
        return (int) INT.get(bytes, from + COUNT) & COUNT_MASK;
    }

    /** Where the session's messages wait. */
    static ClientKind kind(byte[] bytes, int from) {
        return ClientKind.of((int) INT.get(bytes, from + COUNT) >>> QUEUE_SHIFT);
    }

    /** Where the subscription with a filter begins, as a client would write it; -1 when there is none. */
    static int find(byte[] bytes, int from, String filter) {
        int at = from + SUBSCRIPTIONS;
        for (int left = count(bytes, from); left > 0; left--) {
            int text = at + 1 + ((bytes[at] & HAS_ID) == 0 ? 0 : Integer.BYTES);
            boolean isLong = (bytes[at] & IS_LONG) != 0;
            int length = isLong ? (int) INT.get(bytes, text) : Short.toUnsignedInt((short) SHORT.get(bytes, text));
            text += isLong ? Integer.BYTES : Short.BYTES;
            if (PackedText.isEqual(bytes, text, length, filter)) {
                return at;
            }
            at = text + length;
        }
        return -1;
    }

    /** The session with the subscription that begins there, which may have all messages. */
    static Receiver receiver(byte[] bytes, int at, Subscriber subscriber) {
        int options = bytes[at];
        int id = (options & HAS_ID) == 0 ? 0 : (int) INT.get(bytes, at + 1);
        Grant grant = Grant.of(QoS.of(options & QOS_MASK), (options & RETAIN_AS_PUBLISHED) != 0, id);
        return new Receiver(subscriber, grant, (options & NO_LOCAL) != 0 ? null : grant, null);
    }

    private static void write(DataOutputStream out, SubscriptionRequest request) throws IOException {
        boolean hasId = request.subscriptionId() != 0;
        byte[] filter = request.filter().toString().getBytes(StandardCharsets.UTF_8);
        boolean isLong = filter.length > LARGEST_SHORT;
        out.writeByte(request.qos().code()
                | (request.noLocal() ? NO_LOCAL : 0)
                | (request.retainAsPublished() ? RETAIN_AS_PUBLISHED : 0)
                | (hasId ? HAS_ID : 0)
                | (isLong ? IS_LONG : 0));
        if (hasId) {
            out.writeInt(request.subscriptionId());
        }
        if (isLong) {
            out.writeInt(filter.length);
        } else {
            out.writeShort(filter.length);
        }
        out.write(filter);
    }

    private static SubscriptionRequest read(ByteBuffer in) {
        int options = Byte.toUnsignedInt(in.get());
        check((options & ~ALL_OPTIONS) == 0 && (options & QOS_MASK) <= 2, "options " + options);
        int id = (options & HAS_ID) == 0 ? 0 : in.getInt();
        int length = (options & IS_LONG) == 0 ? Short.toUnsignedInt(in.getShort()) : in.getInt();
        check(length >= 0 && length <= in.remaining(), "a filter of " + length + " bytes");
        byte[] filter = new byte[length];
        in.get(filter);
        return new SubscriptionRequest(
                TopicFilter.parseStored(new String(filter, StandardCharsets.UTF_8)),
                QoS.of(options & QOS_MASK),
                (options & NO_LOCAL) != 0,
                (options & RETAIN_AS_PUBLISHED) != 0,
                id);
    }

    private static @Nullable Principal readPrincipal(byte[] bytes, int from, String clientId, int format) {
        try {
            ByteReader end = new ByteReader(bytes, from);
            Principal principal = format < PrincipalFormat.FIRST ? null : PrincipalFormat.read(end, clientId);
            end.expectEnd();
            return principal;
        } catch (UnreadableRecordException e) {
            throw new UnreadableRecordException("subscriptions: damaged record, " + e.getMessage());
        }
    }

    private static void check(boolean condition, String flaw) {
        if (!condition) {
            throw new UnreadableRecordException("subscriptions: " + flaw);
        }
    }
}
