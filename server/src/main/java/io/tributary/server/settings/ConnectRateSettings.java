package io.tributary.server.settings;

import io.tributary.broker.guard.ConnectRate;
import io.tributary.server.settings.check.Allowed;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How often somebody may connect to one node.
 *
 * @param address How often a second one address may connect in the long run, of IPv6 all with the same first 64 bits;
 *     0 for no limit.
 * @param addressBurst How often at once.
 * @param client How often a second one principal may connect under one client identifier in the long run; 0 for no
 *     limit.
 * @param clientBurst How often at once.
 */
public record ConnectRateSettings(
        @DefaultValue("500") @Allowed(min = "0") int address,
        @DefaultValue("5000") @Allowed(min = "1") int addressBurst,
        @DefaultValue("5") @Allowed(min = "0") int client,
        @DefaultValue("60") @Allowed(min = "1") int clientBurst) {

    ConnectRate ofAddress() {
        return new ConnectRate(address, addressBurst);
    }

    ConnectRate ofClient() {
        return new ConnectRate(client, clientBurst);
    }
}
