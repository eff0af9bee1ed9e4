package io.tributary.broker.security.store;

import io.tributary.broker.security.BanList;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.rules.AddressRange;
import io.tributary.broker.security.store.Ban.Subject;
import io.tributary.common.event.Principal;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The bans that people have made, by what they are about; automatic ones are the guard's of each node, which knows whom
 * they are not for. A ban is found by a look-up in a hash table, an address by one for each length of a prefix that
 * some ban has. Any thread.
 */
final class BanIndex implements BanList {
    private static final int BITS_V4 = Integer.SIZE;
    private static final int BITS_V6 = 2 * Long.SIZE;

    private final InstantSource clock;
    private final SecurityRecorder recorder;
    private final Map<Subject, Map<Object, Map<String, Ban>>> bans = new EnumMap<>(Subject.class);

    /** How many bans of addresses have a prefix of so many bits. */
    private final AtomicIntegerArray prefixesV4 = new AtomicIntegerArray(BITS_V4 + 1);

    private final AtomicIntegerArray prefixesV6 = new AtomicIntegerArray(BITS_V6 + 1);

    BanIndex(InstantSource clock, SecurityRecorder recorder) {
        this.clock = clock;
        this.recorder = recorder;
        for (Subject subject : Subject.values()) {
            bans.put(subject, new ConcurrentHashMap<>());
        }
    }

    /** A ban was made, replaced or lifted; one thread. */
    void changed(@Nullable SecurityObject before, @Nullable SecurityObject now) {
        if (now instanceof Ban ban && !ban.isAutomatic()) {
            ofSubject(ban.subject())
                    .computeIfAbsent(keyOf(ban), _ -> new ConcurrentHashMap<>())
                    .put(ban.name(), ban);
            count(ban, 1);
        }
        if (before instanceof Ban ban && !ban.isAutomatic()) {
            count(ban, -1);
            boolean isReplaced = now instanceof Ban other
                    && other.subject() == ban.subject()
                    && keyOf(other).equals(keyOf(ban));
            if (!isReplaced) {
                ofSubject(ban.subject()).computeIfPresent(keyOf(ban), (_, same) -> {
                    same.remove(ban.name());
                    return same.isEmpty() ? null : same;
                });
            }
        }
    }

    @Override
    public boolean isBanned(InetAddress address) {
        return counted(Subject.ADDRESS, ofAddress(address));
    }

    @Override
    public boolean isBanned(String clientId, @Nullable String userName) {
        return counted(Subject.CLIENT_ID, of(Subject.CLIENT_ID, clientId))
                || counted(Subject.USER, of(Subject.USER, userName));
    }

    @Override
    public boolean isBanned(Principal principal) {
        return counted(Subject.USER, ofUser(principal))
                || counted(Subject.TENANT, of(Subject.TENANT, principal.tenant()));
    }

    /** Whether some ban says that the connection of a client is to be closed. */
    boolean mustDisconnect(ClientInfo client) {
        Principal principal = client.principal();
        Stream<Ban> all = Stream.of(
                        of(Subject.CLIENT_ID, client.clientId()),
                        of(Subject.USER, client.userName()),
                        principal == null ? Stream.<Ban>empty() : ofUser(principal),
                        principal == null ? Stream.<Ban>empty() : of(Subject.TENANT, principal.tenant()),
                        ofText(client.remoteAddress()))
                .flatMap(bansOfOne -> bansOfOne);
        return all.anyMatch(Ban::disconnect);
    }

    private boolean counted(Subject subject, Stream<Ban> found) {
        boolean isBanned = found.findAny().isPresent();
        if (isBanned) {
            recorder.banned(subject);
        }
        return isBanned;
    }

    /** By its name, and by the user name that it goes by, which may be another one than CONNECT has. */
    private Stream<Ban> ofUser(Principal principal) {
        return Stream.concat(of(Subject.USER, principal.name()), of(Subject.USER, principal.userName()));
    }

    private Stream<Ban> of(Subject subject, @Nullable Object key) {
        Map<Object, Map<String, Ban>> byKey = ofSubject(subject);
        Map<String, Ban> found = key == null || byKey.isEmpty() ? null : byKey.get(key);
        return found == null ? Stream.empty() : found.values().stream().filter(ban -> ban.holdsAt(clock.instant()));
    }

    /** Of an address with its port, as connections have it. */
    private Stream<Ban> ofText(@Nullable String addressAndPort) {
        int colon = addressAndPort == null ? -1 : addressAndPort.lastIndexOf(':');
        if (addressAndPort == null || colon < 0 || ofSubject(Subject.ADDRESS).isEmpty()) {
            return Stream.empty();
        }
        String host = addressAndPort.substring(0, colon).replaceAll("[\\[\\]/]", "");
        try {
            return ofAddress(InetAddress.ofLiteral(host));
        } catch (IllegalArgumentException _) {
            return Stream.empty(); // of a transport without addresses
        }
    }

    private Stream<Ban> ofAddress(InetAddress address) {
        if (ofSubject(Subject.ADDRESS).isEmpty()) {
            return Stream.empty();
        }
        AtomicIntegerArray prefixes = address instanceof Inet4Address ? prefixesV4 : prefixesV6;
        return IntStream.range(0, prefixes.length())
                .filter(prefix -> prefixes.get(prefix) > 0)
                .boxed()
                .flatMap(prefix -> of(Subject.ADDRESS, rangeAround(address, prefix)));
    }

    private static AddressRange rangeAround(InetAddress address, int prefix) {
        ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
        if (address instanceof Inet4Address) {
            long low = Integer.toUnsignedLong(bytes.getInt()) & mask(Long.SIZE - BITS_V4 + prefix);
            return new AddressRange(true, 0, low, prefix);
        }
        long high = bytes.getLong() & mask(Math.min(prefix, Long.SIZE));
        return new AddressRange(false, high, bytes.getLong() & mask(Math.max(0, prefix - Long.SIZE)), prefix);
    }

    private static long mask(int bits) {
        return bits == 0 ? 0 : -1L << (Long.SIZE - bits);
    }

    private void count(Ban ban, int change) {
        if (keyOf(ban) instanceof AddressRange range) {
            (range.isIpv4() ? prefixesV4 : prefixesV6).addAndGet(range.prefix(), change);
        }
    }

    private static Object keyOf(Ban ban) {
        return ban.subject() == Subject.ADDRESS ? AddressRange.parse(ban.value()) : ban.value();
    }

    private Map<Object, Map<String, Ban>> ofSubject(Subject subject) {
        return Objects.requireNonNull(bans.get(subject));
    }
}
