package io.tributary.broker.subscription;

import io.tributary.common.event.Principal;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.topic.TopicFilter;
import io.tributary.perf.jmh.Messages;
import java.util.Map;
import java.util.Random;
import java.util.function.BiConsumer;

/**
 * Devices in sites of a thousand, each with a subscription of its own: what a match is looked up in. The mix says how
 * many of the filters have wildcards.
 */
enum Fleet {
    /** No wildcards. */
    EXACT,
    /** All end in {@code +}, as with one subscription for all commands of a device. */
    PLUS,
    /**
     * Of ten, six without wildcards, two with {@code +} at the end, one with it in the middle, one with {@code #}; and
     * two observers that get everything.
     */
    MIXED;

    private static final int DEVICES_A_SITE = 1000;
    private static final long SEED = 4711;
    private static final String[] OBSERVED = {"site/#", "+/+/device/+/status"};

    /** Hands out each subscriber with its filter; so many, and the observers. */
    void forEach(int count, BiConsumer<Subscriber, String> action) {
        for (int i = 0; i < count; i++) {
            action.accept(subscriber(i), filter(i));
        }
        if (this == MIXED) {
            for (int i = 0; i < OBSERVED.length; i++) {
                action.accept(subscriber(count + i), OBSERVED[i]);
            }
        }
    }

    /** Topics of devices chosen at random, the same each time; each of them matches. */
    static String[] topics(int count, int devices) {
        Random random = new Random(SEED);
        String[] topics = new String[count];
        for (int i = 0; i < count; i++) {
            topics[i] = topic(random.nextInt(devices));
        }
        return topics;
    }

    /** What a session asks for with a filter. */
    static Map<TopicFilter, SubscriptionRequest> request(String filter) {
        TopicFilter parsed = TopicFilter.parse(filter);
        return Map.of(parsed, new SubscriptionRequest(parsed, QoS.AT_LEAST_ONCE, false, false, 0));
    }

    /** A session whose one subscription has the filter. */
    static PackedSession packed(Subscriber subscriber, String filter) {
        SessionSubscriptions subscriptions = new SessionSubscriptions(
                subscriber.identity(), 0, 0, subscriber.kind(), Principal.ANONYMOUS, request(filter));
        return new PackedSession(
                subscriber.clientId(),
                SubscriptionsCodec.encode(subscriber.clientId(), subscriptions, RecordFormat.NEWEST));
    }

    private static Subscriber subscriber(int number) {
        return new Subscriber(Messages.client(number), true, number);
    }

    private String filter(int device) {
        return switch (this) {
            case EXACT -> topic(device);
            case PLUS -> of(device) + "/+";
            case MIXED ->
                switch (device % 10) {
                    case 6, 7 -> of(device) + "/+";
                    case 8 -> site(device) + "/+/" + device + "/status";
                    case 9 -> of(device) + "/#";
                    default -> topic(device);
                };
        };
    }

    private static String topic(int device) {
        return of(device) + "/status";
    }

    private static String of(int device) {
        return site(device) + "/device/" + device;
    }

    private static String site(int device) {
        return "site/" + device / DEVICES_A_SITE;
    }
}
