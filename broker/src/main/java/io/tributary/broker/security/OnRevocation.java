package io.tributary.broker.security;

/** What happens to a client one of whose subscriptions was removed, for rules do not allow it any more. */
public enum OnRevocation {
    /** Nothing else: MQTT has no packet that tells it. */
    REMOVE,
    /** It is disconnected, MQTT 5 with 0x87; its session stays. */
    DISCONNECT
}
