package io.tributary.common.codec;

import static io.tributary.common.codec.Property.REASON_STRING;
import static io.tributary.common.codec.Property.SUBSCRIPTION_ID;
import static io.tributary.common.codec.Property.USER_PROPERTY;
import static io.tributary.common.codec.WireReader.malformed;
import static io.tributary.common.mqtt.ReasonCode.PROTOCOL_ERROR;

import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.MqttPacket.Unsuback;
import io.tributary.common.mqtt.MqttPacket.Unsubscribe;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import io.tributary.common.topic.TopicFilter;
import io.tributary.common.topic.TopicLimits;
import java.util.ArrayList;
import java.util.List;

/** Decodes SUBSCRIBE, SUBACK, UNSUBSCRIBE and UNSUBACK (sections 3.8 to 3.11). */
record SubscriptionDecoder(WireReader in, PropertyReader properties, DecoderLimits limits) {
    private static final long ACK_PROPERTIES = Property.setOf(REASON_STRING, USER_PROPERTY);

    Subscribe subscribe() {
        int packetId = in.packetId();
        PropertyValues values = properties.read(Property.setOf(SUBSCRIPTION_ID, USER_PROPERTY));
        List<Subscription> subscriptions = new ArrayList<>(1);
        do { // [MQTT-3.8.3-2]
            requireRoom(subscriptions);
            subscriptions.add(subscription());
        } while (in.remaining() > 0);
        int subscriptionId = (int) values.number(SUBSCRIPTION_ID, 0);
        return new Subscribe(packetId, List.copyOf(subscriptions), subscriptionId, values.userProperties());
    }

    Unsubscribe unsubscribe() {
        int packetId = in.packetId();
        PropertyValues values = properties.read(USER_PROPERTY.bit());
        List<String> filters = new ArrayList<>(1);
        do { // [MQTT-3.10.3-2]
            requireRoom(filters);
            filters.add(filter());
        } while (in.remaining() > 0);
        return new Unsubscribe(packetId, List.copyOf(filters), values.userProperties());
    }

    Suback suback() {
        int packetId = in.packetId();
        PropertyValues values = properties.read(ACK_PROPERTIES);
        List<ReasonCode> reasons = new ArrayList<>(1);
        do {
            requireRoom(reasons);
            reasons.add(properties.mqtt5() ? ReasonCodes.SUBACK.read(in) : Mqtt3Codes.readSuback(in));
        } while (in.remaining() > 0);
        return new Suback(packetId, List.copyOf(reasons), values.text(REASON_STRING), values.userProperties());
    }

    Unsuback unsuback() {
        int packetId = in.packetId();
        PropertyValues values = properties.read(ACK_PROPERTIES);
        List<ReasonCode> reasons = new ArrayList<>(1);
        while (properties.mqtt5() && (in.remaining() > 0 || reasons.isEmpty())) {
            requireRoom(reasons);
            reasons.add(ReasonCodes.UNSUBACK.read(in));
        }
        in.requireEnd();
        return new Unsuback(packetId, List.copyOf(reasons), values.text(REASON_STRING), values.userProperties());
    }

    private Subscription subscription() {
        String filter = filter();
        int options = in.u8();
        int known = properties.mqtt5() ? 0x3F : 0x03;
        if ((options & ~known) != 0) {
            throw malformed("reserved bits of the subscription options [MQTT-3.8.3-5]");
        }
        if ((options & 0x03) == 0x03) {
            throw new MqttException(PROTOCOL_ERROR, "maximum QoS is 3 [MQTT-3.8.3-5]");
        }
        boolean noLocal = (options & 0x04) != 0;
        if (noLocal && TopicFilter.isShared(filter)) {
            throw new MqttException(PROTOCOL_ERROR, "no local on a shared subscription [MQTT-3.8.3-4]");
        }
        boolean retainAsPublished = (options & 0x08) != 0;
        return new Subscription(
                filter, QoS.of(options & 0x03), noLocal, retainAsPublished, retainHandling(options >> 4 & 0x03));
    }

    private static RetainHandling retainHandling(int code) {
        return switch (code) {
            case 0 -> RetainHandling.SEND;
            case 1 -> RetainHandling.SEND_IF_NEW;
            case 2 -> RetainHandling.DO_NOT_SEND;
            default -> throw new MqttException(PROTOCOL_ERROR, "retain handling is 3");
        };
    }

    private String filter() {
        byte[] bytes = in.uncheckedText(TopicLimits.MQTT.maxBytes(), ReasonCode.TOPIC_FILTER_INVALID);
        String filter = WireReader.utf8(bytes);
        TopicFilter.parse(filter);
        return filter;
    }

    private void requireRoom(List<?> list) {
        if (list.size() == limits.maxFilters()) {
            String words = "more than " + limits.maxFilters() + " topic filters in one packet";
            throw new MqttException(ReasonCode.QUOTA_EXCEEDED, words);
        }
    }
}
