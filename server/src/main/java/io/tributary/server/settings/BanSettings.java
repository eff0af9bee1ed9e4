package io.tributary.server.settings;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What a node bans clients for by itself.
 *
 * @param failures that they are refused for who they are
 * @param flapping that they connect again and again
 */
public record BanSettings(
        @DefaultValue FailureBanSettings failures,
        @DefaultValue FlappingBanSettings flapping) {}
