package io.tributary.broker.subscription;

import io.tributary.broker.subscription.RouteRecord.Member;
import io.tributary.broker.subscription.RouteRecord.Presence;
import io.tributary.broker.subscription.RouteRecord.Route;
import io.tributary.common.event.ByteReader;
import io.tributary.common.event.ByteWriter;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.UnreadableRecordException;
import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.topic.TopicFilter;

/**
 * The stored form of {@link RouteRecord}s. A key is the node, the kind, and what tells records of the kind apart, each
 * but the last followed by a NUL, which none but the last can contain:
 *
 * <pre>
 * node r filter
 * node m connection $share/name/filter
 * node p session client
 * </pre>
 *
 * <p>A value is a format byte; that of a member has its client identifier, options and subscription identifier behind
 * it, that of the presence of a session whether it is stuck.
 */
final class RouteCodec {
    private static final char END = '\0';
    private static final int QOS_MASK = 0b0000_0011;
    private static final int NO_LOCAL = 0b0000_0100;
    private static final int RETAIN_AS_PUBLISHED = 0b0000_1000;
    private static final int ALL_OPTIONS = 0b0000_1111;

    private RouteCodec() {}

    /** The key under which a record is stored. */
    static String key(RouteRecord record) {
        return switch (record) {
            case Route route -> key(route.node(), 'r', route.filter());
            case Member member -> key(member.node(), 'm', member.connection() + "\0" + member.filter());
            case Presence presence -> key(presence.node(), 'p', presence.session() + "\0" + presence.clientId());
        };
    }

    /** The value that is stored under the key. */
    static byte[] value(RouteRecord record, int format) {
        ByteWriter writer = new ByteWriter(64);
        writer.writeByte(format);
        if (record instanceof Member member) {
            SubscriptionRequest request = member.request();
            writer.writeString(member.clientId());
            writer.writeByte(request.qos().code()
                    | (request.noLocal() ? NO_LOCAL : 0)
                    | (request.retainAsPublished() ? RETAIN_AS_PUBLISHED : 0));
            writer.writeNumber(request.subscriptionId());
        } else if (record instanceof Presence presence) {
            writer.writeBoolean(presence.isStuck());
        }
        return writer.toBytes();
    }

    /** The node whose record a key names: all that precedes the first NUL. */
    static String nodeOf(String key) {
        int end = key.indexOf(END);
        return end < 0 ? key : key.substring(0, end);
    }

    /**
     * Decodes what {@link #key} and {@link #value} made.
     *
     * @throws UnreadableRecordException when it is damaged or of a newer format
     */
    static RouteRecord decode(String key, byte[] value) {
        try {
            ByteReader reader = new ByteReader(value);
            reader.expectFormat(RecordFormat.NEWEST);
            RouteRecord record = decode(key.split("\0", 3), reader);
            reader.expectEnd();
            return record;
        } catch (MqttException | IllegalArgumentException e) {
            throw new UnreadableRecordException("routes: damaged record, " + e.getMessage());
        }
    }

    private static RouteRecord decode(String[] key, ByteReader reader) {
        if (key.length < 3) {
            throw new IllegalArgumentException("a key of " + key.length + " parts");
        }
        String rest = key[2];
        return switch (key[1]) {
            case "r" -> new Route(key[0], rest);
            case "m" -> member(key[0], number(rest), TopicFilter.parseStored(behindNumber(rest)), reader);
            case "p" -> new Presence(key[0], behindNumber(rest), number(rest), reader.readBoolean());
            default -> throw new IllegalArgumentException("a key of the kind " + key[1]);
        };
    }

    private static long number(String rest) {
        return Long.parseLong(rest.substring(0, Math.max(0, rest.indexOf(END))));
    }

    private static String behindNumber(String rest) {
        return rest.substring(rest.indexOf(END) + 1);
    }

    private static Member member(String node, long connection, TopicFilter filter, ByteReader reader) {
        String clientId = reader.readString();
        int options = reader.readByte();
        if ((options & ~ALL_OPTIONS) != 0 || (options & QOS_MASK) > 2) {
            throw new IllegalArgumentException("options " + options);
        }
        SubscriptionRequest request = new SubscriptionRequest(
                filter,
                QoS.of(options & QOS_MASK),
                (options & NO_LOCAL) != 0,
                (options & RETAIN_AS_PUBLISHED) != 0,
                reader.readInt());
        return new Member(node, clientId, connection, request);
    }

    private static String key(String node, char kind, String rest) {
        return node + END + kind + END + rest;
    }
}
