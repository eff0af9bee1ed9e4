package io.tributary.common.codec;

import io.tributary.common.mqtt.UserProperty;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The properties of one packet as they were read; each but the repeatable ones is there once or not at all. */
final class PropertyValues {

    /** No properties, as every packet of MQTT 3 has. */
    static final PropertyValues NONE = new PropertyValues(0);

    // Both by the number of the property.
    private final int[] numbers;
    private final @Nullable Object[] objects;
    private @Nullable List<UserProperty> userProperties;
    private @Nullable List<Integer> subscriptionIds;
    private long present;

    PropertyValues() {
        this(Property.ID_LIMIT);
    }

    private PropertyValues(int capacity) {
        numbers = new int[capacity];
        objects = new @Nullable Object[capacity];
    }

    /** Whether at least one property of the set is there. */
    boolean hasAny(long set) {
        return (present & set) != 0;
    }

    /** The value of an integer property, or the given number when it is absent. */
    long number(Property property, long absent) {
        return hasAny(property.bit()) ? numbers[property.id()] & 0xFFFF_FFFFL : absent;
    }

    /** The value of a byte property that is 0 or 1. */
    boolean flag(Property property, boolean absent) {
        return number(property, absent ? 1 : 0) == 1;
    }

    /** The value of a string property, or null when it is absent. */
    @Nullable
    String text(Property property) {
        return hasAny(property.bit()) ? (String) objects[property.id()] : null;
    }

    /** The value of a binary property, or null when it is absent. */
    byte @Nullable [] binary(Property property) {
        return hasAny(property.bit()) ? (byte[]) objects[property.id()] : null;
    }

    /** The user properties in order. */
    List<UserProperty> userProperties() {
        return userProperties == null ? List.of() : List.copyOf(userProperties);
    }

    /** The number of user properties. */
    int userPropertyCount() {
        return userProperties == null ? 0 : userProperties.size();
    }

    /** The subscription identifiers in order. */
    List<Integer> subscriptionIds() {
        return subscriptionIds == null ? List.of() : List.copyOf(subscriptionIds);
    }

    void put(Property property, long number) {
        present |= property.bit();
        numbers[property.id()] = (int) number;
    }

    void put(Property property, Object value) {
        present |= property.bit();
        objects[property.id()] = value;
    }

    void add(UserProperty userProperty) {
        if (userProperties == null) {
            userProperties = new ArrayList<>();
        }
        present |= Property.USER_PROPERTY.bit();
        userProperties.add(userProperty);
    }

    void addSubscriptionId(int id) {
        if (subscriptionIds == null) {
            subscriptionIds = new ArrayList<>(1);
        }
        subscriptionIds.add(id);
        put(Property.SUBSCRIPTION_ID, id);
    }
}
