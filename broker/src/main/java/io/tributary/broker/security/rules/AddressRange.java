package io.tributary.broker.security.rules;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.regex.Pattern;

/**
 * A range of IP addresses, as CIDR writes it: {@code 10.0.0.0/8}, {@code 2001:db8::/32}, or one address alone. An IPv4
 * address that is written as an IPv6 one ({@code ::ffff:10.0.0.1}) is the IPv4 address.
 *
 * @param isIpv4 whether the addresses are of IPv4
 * @param high the upper 64 bits of the first address
 * @param low the lower 64 bits; of IPv4 all
 * @param prefix how many bits all addresses have in common
 */
public record AddressRange(boolean isIpv4, long high, long low, int prefix) {
    private static final int BITS_V4 = Integer.SIZE;
    private static final int BITS_V6 = 2 * Long.SIZE;
    private static final Pattern DOTTED = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");
    private static final Pattern COLONS = Pattern.compile("[0-9a-fA-F.]*:[0-9a-fA-F:.]*");

    /**
     * The range that is written so.
     *
     * @throws IllegalArgumentException when it is neither an address nor a range of them, or has bits behind its prefix
     */
    public static AddressRange parse(String text) {
        int slash = text.indexOf('/');
        InetAddress address = address(slash < 0 ? text : text.substring(0, slash), text);
        int bits = address instanceof Inet4Address ? BITS_V4 : BITS_V6;
        AddressRange range = of(address, slash < 0 ? bits : prefix(text.substring(slash + 1), bits, text));
        if (!range.isFirst()) {
            throw new IllegalArgumentException(
                    "'" + text + "' has bits behind its prefix of " + range.prefix + " bits; they must be 0");
        }
        return range;
    }

    /** Whether the address is one of them. */
    public boolean contains(InetAddress address) {
        AddressRange one = of(address, prefix);
        return one.isIpv4 == isIpv4
                && (one.high & maskHigh()) == (high & maskHigh())
                && (one.low & maskLow()) == (low & maskLow());
    }

    private static AddressRange of(InetAddress address, int prefix) {
        ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
        return address instanceof Inet4Address
                ? new AddressRange(true, 0, Integer.toUnsignedLong(bytes.getInt()), prefix)
                : new AddressRange(false, bytes.getLong(), bytes.getLong(), prefix);
    }

    private boolean isFirst() {
        return (high & ~maskHigh()) == 0 && (low & ~maskLow()) == 0;
    }

    private long maskHigh() {
        return isIpv4 ? -1 : mask(Math.min(prefix, Long.SIZE));
    }

    private long maskLow() {
        return isIpv4 ? mask(Long.SIZE - BITS_V4 + prefix) : mask(Math.max(0, prefix - Long.SIZE));
    }

    private static long mask(int bits) {
        return bits == 0 ? 0 : -1L << (Long.SIZE - bits);
    }

    /** No name is looked up: what is not written as an address is none. */
    private static InetAddress address(String address, String text) {
        if (DOTTED.matcher(address).matches() || COLONS.matcher(address).matches()) {
            try {
                return InetAddress.ofLiteral(address);
            } catch (IllegalArgumentException _) {
                throw wrong(text);
            }
        }
        throw wrong(text);
    }

    private static int prefix(String prefix, int most, String text) {
        if (prefix.matches("\\d{1,3}") && Integer.parseInt(prefix) <= most) {
            return Integer.parseInt(prefix);
        }
        throw wrong(text);
    }

    private static IllegalArgumentException wrong(String text) {
        return new IllegalArgumentException(
                "'" + text + "' is not an IP address or a range of them, such as 10.0.0.0/8 or 2001:db8::/32");
    }
}
