package io.tributary.broker.guard;

import static io.tributary.common.setting.InvalidSettingException.checkWithin;

import io.tributary.broker.security.rules.AddressRange;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;

/**
 * What a node puts up with.
 *
 * @param unauthenticatedMemory how many bytes all connections together may have sent whose clients are not known yet
 * @param unauthenticatedSize how many bytes of one such connection other connections have to make room for
 * @param perAddress how often one address may connect, or the IPv6 addresses that have the first 64 bits in common
 * @param perClient how often one principal may connect under one client identifier
 * @param failures what bans those who are refused for who they are
 * @param flapping what bans those who are accepted again and again
 * @param exempt addresses that have no rate and are never banned: networks whose many clients share an address
 */
public record GuardConfig(
        long unauthenticatedMemory,
        int unauthenticatedSize,
        ConnectRate perAddress,
        ConnectRate perClient,
        BanLimits failures,
        BanLimits flapping,
        List<AddressRange> exempt) {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    /**
     * Limits that no honest client should meet. Of names that clients only claim (failures by client identifier and
     * user) there is no limit: strangers could lock their owners out.
     */
    public static final GuardConfig DEFAULT = new GuardConfig(
            64L << 20,
            16 * 1024,
            new ConnectRate(500, 5_000),
            new ConnectRate(5, 60),
            new BanLimits(BanLimit.NONE, BanLimit.NONE, new BanLimit(1_000, MINUTE, MINUTE)),
            BanLimits.NONE,
            List.of(AddressRange.parse("127.0.0.0/8"), AddressRange.parse("::1")));

    /** Copies the list and checks the ranges. */
    public GuardConfig {
        checkWithin("unauthenticated.memory", unauthenticatedMemory, 1L << 20, Long.MAX_VALUE);
        checkWithin("unauthenticated.size", unauthenticatedSize, 1_024, 1 << 20);
        exempt = List.copyOf(exempt);
    }

    boolean isExempt(InetAddress address) {
        for (AddressRange range : exempt) {
            if (range.contains(address)) {
                return true;
            }
        }
        return false;
    }
}
