package io.tributary.broker.guard;

/**
 * What bans client identifiers, users and addresses.
 *
 * @param clientId of one client identifier
 * @param user of one user name
 * @param address of one address, or of the IPv6 addresses that have the first 64 bits in common
 */
public record BanLimits(BanLimit clientId, BanLimit user, BanLimit address) {

    /** Nobody is banned. */
    public static final BanLimits NONE = new BanLimits(BanLimit.NONE, BanLimit.NONE, BanLimit.NONE);

    BanLimit of(AutomaticBan.Kind kind) {
        return switch (kind) {
            case CLIENT_ID -> clientId;
            case USER -> user;
            case ADDRESS -> address;
        };
    }
}
