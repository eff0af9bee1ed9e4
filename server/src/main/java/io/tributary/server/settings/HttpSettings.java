package io.tributary.server.settings;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The port of health and metrics, as far as it is ours.
 *
 * @param tls how its connections are encrypted
 */
public record HttpSettings(@DefaultValue HttpTlsSettings tls) {}
