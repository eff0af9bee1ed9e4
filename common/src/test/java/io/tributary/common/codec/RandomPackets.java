package io.tributary.common.codec;

import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Auth;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.ConnackProperties;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.MqttPacket.Pingreq;
import io.tributary.common.mqtt.MqttPacket.Pingresp;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Pubcomp;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Pubrec;
import io.tributary.common.mqtt.MqttPacket.Pubrel;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.MqttPacket.Unsuback;
import io.tributary.common.mqtt.MqttPacket.Unsubscribe;
import io.tributary.common.mqtt.PayloadFormat;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import io.tributary.common.mqtt.UserProperty;
import io.tributary.common.mqtt.Will;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes random valid packets of one version, as one side may send them, without what that version cannot say. */
final class RandomPackets {
    private static final String[] WORDS = {
        "a", "sensor", "\u00e9t\u00e9", "\u4e2d\u6587", "\ud83d\ude00", "x y", "\ufeff", "\ufffd"
    };

    private final Random random;
    private final ProtocolVersion version;
    private final Role sender;
    private final boolean mqtt5;

    RandomPackets(Random random, ProtocolVersion version, Role sender) {
        this.random = random;
        this.version = version;
        this.sender = sender;
        this.mqtt5 = version.isMqtt5();
    }

    /** The next packet of any type that may follow CONNECT. */
    MqttPacket next() {
        return sender == Role.CLIENT ? fromClient() : fromServer();
    }

    Connect connect() {
        boolean clean = random.nextBoolean();
        String userName = optional(this::words);
        byte[] password = userName != null || mqtt5 ? optional(this::bytes) : null;
        String clientId = "c" + words();
        Will will = optional(() -> will(clientId));
        return new Connect(
                version, clean, random.nextInt(65_536), clientId, will, userName, password, connectProperties(clean));
    }

    private MqttPacket fromClient() {
        return switch (random.nextInt(mqtt5 ? 10 : 9)) {
            case 0, 1 -> publish();
            case 2 -> new Puback(id(), ack(ReasonCode.QUOTA_EXCEEDED), words5(), user());
            case 3 -> new Pubrec(id(), ack(ReasonCode.PACKET_IDENTIFIER_IN_USE), words5(), user());
            case 4 -> new Pubrel(id(), ack(ReasonCode.PACKET_IDENTIFIER_NOT_FOUND), words5(), user());
            case 5 -> subscribe();
            case 6 -> new Unsubscribe(id(), some(this::filter), user());
            case 7 -> new Pingreq();
            case 8 -> new Disconnect(ack(ReasonCode.DISCONNECT_WITH_WILL), number5(), words5(), null, user());
            default -> auth(ReasonCode.RE_AUTHENTICATE);
        };
    }

    private MqttPacket fromServer() {
        return switch (random.nextInt(mqtt5 ? 10 : 8)) {
            case 0, 1 -> publish();
            case 2 -> new Puback(id(), ack(ReasonCode.NO_MATCHING_SUBSCRIBERS), words5(), user());
            case 3 -> new Pubcomp(id(), ack(ReasonCode.PACKET_IDENTIFIER_NOT_FOUND), words5(), user());
            case 4 -> connack();
            case 5 -> new Suback(id(), some(this::subackReason), words5(), user());
            case 6 -> new Unsuback(id(), mqtt5 ? some(this::unsubackReason) : List.of(), words5(), user());
            case 7 -> new Pingresp();
            case 8 ->
                new Disconnect(
                        ack(ReasonCode.SERVER_MOVED), MqttPacket.ABSENT, words5(), optional(this::words), user());
            default -> auth(ReasonCode.CONTINUE_AUTHENTICATION);
        };
    }

    Publish publish() {
        QoS qos = pick(QoS.values());
        boolean acknowledged = qos.isAcknowledged();
        int alias = mqtt5 && random.nextBoolean() ? id() : 0;
        String topic = alias != 0 && random.nextBoolean() ? "" : topic();
        boolean withIds = mqtt5 && sender == Role.SERVER && random.nextBoolean();
        return new Publish(
                topic,
                bytes(),
                qos,
                random.nextBoolean(),
                acknowledged && random.nextBoolean(),
                acknowledged ? id() : 0,
                alias,
                number5(),
                publishProperties(),
                withIds ? some(() -> 1 + random.nextInt(Varint.MAX)) : List.of());
    }

    private Subscribe subscribe() {
        int subscriptionId = mqtt5 && random.nextBoolean() ? 1 + random.nextInt(Varint.MAX) : 0;
        return new Subscribe(id(), some(this::subscription), subscriptionId, user());
    }

    private Subscription subscription() {
        String filter = filter();
        boolean noLocal = mqtt5 && !filter.startsWith("$share/") && random.nextBoolean();
        RetainHandling handling = mqtt5 ? pick(RetainHandling.values()) : RetainHandling.SEND;
        return new Subscription(filter, pick(QoS.values()), noLocal, mqtt5 && random.nextBoolean(), handling);
    }

    private Connack connack() {
        ReasonCode reason = random.nextBoolean() ? ReasonCode.SUCCESS : ReasonCode.NOT_AUTHORIZED;
        boolean present = reason == ReasonCode.SUCCESS && random.nextBoolean();
        return new Connack(present, reason, mqtt5 ? connackProperties() : ConnackProperties.reason(null));
    }

    private ConnackProperties connackProperties() {
        return new ConnackProperties(
                number5(),
                random.nextBoolean() ? id() : MqttPacket.ABSENT,
                optional(() -> pick(QoS.AT_MOST_ONCE, QoS.AT_LEAST_ONCE)),
                random.nextBoolean(),
                random.nextBoolean() ? id() : MqttPacket.ABSENT,
                words5(),
                random.nextBoolean() ? id() : MqttPacket.ABSENT,
                words5(),
                user(),
                random.nextBoolean(),
                random.nextBoolean(),
                random.nextBoolean(),
                random.nextBoolean() ? id() : MqttPacket.ABSENT,
                words5(),
                words5(),
                words5(),
                optional(this::bytes));
    }

    private Auth auth(ReasonCode reason) {
        return new Auth(reason, words(), optional(this::bytes), words5(), user());
    }

    private ConnectProperties connectProperties(boolean clean) {
        if (!mqtt5) {
            return ConnectProperties.defaults(clean ? 0 : ConnectProperties.NEVER_EXPIRES);
        }
        String method = optional(this::words);
        return new ConnectProperties(
                random.nextLong(1L << 32),
                id(),
                1 + random.nextInt(ConnectProperties.LARGEST_PACKET),
                random.nextInt(65_536),
                random.nextBoolean(),
                random.nextBoolean(),
                method,
                method == null ? null : optional(this::bytes),
                user());
    }

    private Will will(String clientId) {
        Message message = new Message(
                topic(),
                bytes(),
                pick(QoS.values()),
                random.nextBoolean(),
                publishProperties(),
                Message.NEVER,
                clientId);
        return new Will(message, mqtt5 ? random.nextLong(1L << 32) : 0, number5());
    }

    private PublishProperties publishProperties() {
        if (!mqtt5 || random.nextBoolean()) {
            return PublishProperties.NONE;
        }
        PayloadFormat format = optional(() -> pick(PayloadFormat.values()));
        return new PublishProperties(format, words5(), optional(this::topic), optional(this::bytes), user());
    }

    private ReasonCode subackReason() {
        return pick(
                ReasonCode.SUCCESS, ReasonCode.GRANTED_QOS_1, ReasonCode.GRANTED_QOS_2, ReasonCode.UNSPECIFIED_ERROR);
    }

    private ReasonCode unsubackReason() {
        return pick(ReasonCode.SUCCESS, ReasonCode.NO_SUBSCRIPTION_EXISTED, ReasonCode.NOT_AUTHORIZED);
    }

    private ReasonCode ack(ReasonCode other) {
        return mqtt5 && random.nextBoolean() ? other : ReasonCode.SUCCESS;
    }

    private int id() {
        return 1 + random.nextInt(65_535);
    }

    private long number5() {
        return mqtt5 && random.nextBoolean() ? random.nextLong(1L << 32) : MqttPacket.ABSENT;
    }

    private @Nullable String words5() {
        return mqtt5 ? optional(this::words) : null;
    }

    private List<UserProperty> user() {
        return mqtt5 && random.nextInt(3) == 0 ? some(() -> new UserProperty(words(), words())) : List.of();
    }

    private String words() {
        return String.join(" ", some(() -> pick(WORDS)));
    }

    private String topic() {
        return String.join("/", some(() -> pick(WORDS)));
    }

    private String filter() {
        String share = random.nextInt(4) == 0 ? "$share/group/" : "";
        return share + topic() + pick("", "/+", "/#", "/+/x");
    }

    private byte[] bytes() {
        byte[] bytes = new byte[random.nextInt(10) == 0 ? random.nextInt(20_000) : random.nextInt(100)];
        random.nextBytes(bytes);
        return bytes;
    }

    private <T> List<T> some(Supplier<T> element) {
        List<T> list = new ArrayList<>();
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
            list.add(element.get());
        }
        return list;
    }

    private <T> @Nullable T optional(Supplier<T> value) {
        return random.nextBoolean() ? value.get() : null;
    }

    @SafeVarargs
    private <T> T pick(T... values) {
        return values[random.nextInt(values.length)];
    }
}
