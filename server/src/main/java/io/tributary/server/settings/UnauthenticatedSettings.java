package io.tributary.server.settings;

import io.tributary.server.settings.check.Allowed;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * What connections may send before it is known whose they are.
 *
 * @param memory How much all of them together may have sent. Where it becomes more, those are closed that have been
 *     connected longest without having sent their whole CONNECT.
 * @param size How much of one connection others have to make room for; more only where there is room.
 */
public record UnauthenticatedSettings(
        @DefaultValue("64MB") @Allowed(min = "1MB") DataSize memory,

        @DefaultValue("16KB") @Allowed(min = "1KB", max = "1MB")
        DataSize size) {}
