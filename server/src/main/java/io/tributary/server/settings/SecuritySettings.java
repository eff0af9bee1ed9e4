package io.tributary.server.settings;

import io.tributary.broker.security.SessionTakeover;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Who may do what.
 *
 * @param sessions Who gets the session that a client identifier has: its messages, its subscriptions and the place of
 *     the connection that is there. {@code principal}: only whom it belongs to; others are refused as long as it lives.
 *     {@code anyone}: whoever may connect with the client identifier. The same on all nodes.
 */
public record SecuritySettings(@DefaultValue("principal") SessionTakeover sessions) {}
