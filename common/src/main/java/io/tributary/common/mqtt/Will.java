package io.tributary.common.mqtt;

/**
 * The message that the broker publishes for a client whose connection ended without its leave.
 *
 * @param message the message; {@code expiresAtMillis} is {@link Message#NEVER} until it is published
 * @param delaySeconds how long after the end of the connection it is published, unless the session ends before
 * @param messageExpirySeconds its expiry interval, counted from its publication; -1 for none
 */
public record Will(Message message, long delaySeconds, long messageExpirySeconds) {}
