package io.tributary.server.settings;

import io.tributary.broker.guard.BanLimit;
import io.tributary.broker.guard.BanLimits;
import io.tributary.server.settings.check.Allowed;
import java.time.Duration;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Bans of those who are accepted again and again.
 *
 * @param address How many connections of one address ban it, of IPv6 all with the same first 64 bits; 0 for no ban.
 * @param addressWithin Within what time.
 * @param addressDuration For how long.
 * @param clientId How many connections of one client identifier ban it; 0 for no ban.
 * @param clientIdWithin Within what time.
 * @param clientIdDuration For how long.
 * @param user How many connections of one user name ban it; 0 for no ban.
 * @param userWithin Within what time.
 * @param userDuration For how long.
 */
public record FlappingBanSettings(
        @DefaultValue("0") @Allowed(min = "0") int address,

        @DefaultValue("1m") @Allowed(min = "1s", max = "1d") Duration addressWithin,

        @DefaultValue("1m") @Allowed(min = "1s", max = "365d")
        Duration addressDuration,

        @DefaultValue("0") @Allowed(min = "0") int clientId,

        @DefaultValue("1m") @Allowed(min = "1s", max = "1d") Duration clientIdWithin,

        @DefaultValue("1m") @Allowed(min = "1s", max = "365d")
        Duration clientIdDuration,

        @DefaultValue("0") @Allowed(min = "0") int user,

        @DefaultValue("1m") @Allowed(min = "1s", max = "1d") Duration userWithin,

        @DefaultValue("1m") @Allowed(min = "1s", max = "365d")
        Duration userDuration) {

    BanLimits limits() {
        return new BanLimits(
                new BanLimit(clientId, clientIdWithin, clientIdDuration),
                new BanLimit(user, userWithin, userDuration),
                new BanLimit(address, addressWithin, addressDuration));
    }
}
