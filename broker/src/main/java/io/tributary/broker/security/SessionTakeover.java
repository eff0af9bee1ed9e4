package io.tributary.broker.security;

/** Who may take over, resume or end with a clean start the session that a client identifier has. */
public enum SessionTakeover {
    /** Only the {@link io.tributary.common.event.Principal} whose session it is. */
    PRINCIPAL,
    /** Whoever may connect with the client identifier, as MQTT itself has it. */
    ANYONE
}
