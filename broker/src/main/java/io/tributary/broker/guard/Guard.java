package io.tributary.broker.guard;

import io.tributary.broker.guard.AutomaticBan.Cause;
import io.tributary.broker.guard.AutomaticBan.Kind;
import io.tributary.common.event.Principal;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.time.SteadyClock;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides who connects too often, or is banned for what it did, and remembers who was refused. A node's own: other
 * nodes know nothing of it but the bans. It outlives a broker that begins anew. Any thread; its tables are bounded, and
 * a look into one takes a microsecond or two.
 *
 * <p>Clients at addresses that are exempt are neither counted nor refused, and so are those without an address.
 */
public final class Guard {
    /**
     * How many addresses, clients or bans a table has at most. A full one takes about 20 MB; that of bans its names
     * besides, of which there are none unless client identifiers or user names are banned.
     */
    private static final int MOST = 100_000;

    /** No principal's name is longer, and no table keeps longer ones, however often somebody claims them. */
    private static final int LONGEST_NAME = Principal.MAX_BYTES;

    private static final int NETWORK_BYTES = 8;

    private final GuardConfig config;
    private final GuardRecorder recorder;
    private final LongSupplier nanoClock;
    private final RateTable<String> addresses;
    private final RateTable<NameHash> clients; // nobody can use up the rate of another principal
    private final AutoBans bans;
    private final RefusedClients refused;
    private final EntryMemory memory;
    private volatile Watcher watcher = Watcher.NONE;

    /** Told of bans; any thread, must not block. */
    public interface Watcher {
        /** Told of nothing. */
        Watcher NONE = new Watcher() {
            @Override
            public void made(AutomaticBan ban) {}

            @Override
            public void lifted(Kind kind, String who) {}
        };

        /** Somebody is banned. */
        void made(AutomaticBan ban);

        /** Somebody is to be banned no more. */
        void lifted(Kind kind, String who);
    }

    /** Creates one that has seen nobody yet. */
    public Guard(GuardConfig config, GuardRecorder recorder, LongSupplier nanoClock, InstantSource clock) {
        this.config = config;
        this.recorder = recorder;
        this.nanoClock = nanoClock;
        addresses = new RateTable<>(config.perAddress(), MOST);
        clients = new RateTable<>(config.perClient(), MOST);
        bans = new AutoBans(MOST, nanoClock, clock);
        refused = new RefusedClients(clock, RefusedClients.MOST);
        memory = new EntryMemory(config.unauthenticatedMemory(), config.unauthenticatedSize());
    }

    /** One that lets everybody in, however often. */
    public static Guard lenient() {
        GuardConfig usual = GuardConfig.DEFAULT;
        return new Guard(
                new GuardConfig(
                        usual.unauthenticatedMemory(),
                        usual.unauthenticatedSize(),
                        ConnectRate.UNLIMITED,
                        ConnectRate.UNLIMITED,
                        BanLimits.NONE,
                        BanLimits.NONE,
                        List.of()),
                GuardRecorder.NONE,
                System::nanoTime,
                new SteadyClock());
    }

    /** What connections hold whose clients are not known yet. */
    public EntryMemory memory() {
        return memory;
    }

    /**
     * A connection came.
     *
     * @return why it is to be refused: {@link ReasonCode#BANNED} or {@link ReasonCode#CONNECTION_RATE_EXCEEDED}; null
     *     for not at all
     */
    public @Nullable ReasonCode arrives(@Nullable InetAddress from) {
        if (from == null || config.isExempt(from)) {
            return null;
        }
        String address = text(from);
        if (bans.of(Kind.ADDRESS, address) != null) {
            return ReasonCode.BANNED;
        }
        return addresses.tryTake(address, nanoClock.getAsLong()) ? null : ReasonCode.CONNECTION_RATE_EXCEEDED;
    }

    /** Whether a client that names itself so in its CONNECT is banned; asked before any authenticator. */
    public boolean isBanned(@Nullable InetAddress from, String clientId, @Nullable String user) {
        return from != null
                && !config.isExempt(from)
                && (bans.of(Kind.CLIENT_ID, clientId) != null || (user != null && bans.of(Kind.USER, user) != null));
    }

    /** Whether a client that was authenticated may connect once more. */
    public boolean mayConnect(@Nullable InetAddress from, Principal principal, String clientId) {
        return from == null
                || config.isExempt(from)
                || clients.tryTake(NameHash.of(principal.realm(), principal.name(), clientId), nanoClock.getAsLong());
    }

    /** A client was accepted: too often, and it flaps. */
    public void connected(@Nullable InetAddress from, String clientId, @Nullable String user) {
        count(Cause.FLAPPING, config.flapping(), from, clientId, user);
    }

    /**
     * A CONNECT was refused, or a client that authenticated again.
     *
     * @param address host and port, for people
     * @param clientId the client identifier in it; null when it was not understood
     * @param words why, for people; nothing that is secret
     */
    public void refused(
            String listener,
            String address,
            @Nullable String clientId,
            @Nullable String user,
            ReasonCode reason,
            String words) {
        refused.add(listener, address, clientId, user, reason.name().toLowerCase(Locale.ROOT), words);
    }

    /** A client failed to authenticate: too often, and it is banned. */
    public void failed(@Nullable InetAddress from, @Nullable String clientId, @Nullable String user) {
        count(Cause.FAILURES, config.failures(), from, clientId, user);
    }

    /** A connection was closed before its CONNECT was looked at. */
    public void closed(String listener, String address, String reason, String words) {
        refused.add(listener, address, null, null, reason, words);
    }

    /** Who was refused last. */
    public RefusedClients refusedClients() {
        return refused;
    }

    /** Who is banned at this node, in no order. */
    public List<AutomaticBan> bans() {
        return bans.all();
    }

    /** Takes over a ban that another node has made, or this one before its start; nobody is told. */
    public void adopt(AutomaticBan ban) {
        bans.adopt(ban);
    }

    /** Takes a ban away at this node; nobody is told. */
    public void forget(Kind kind, String who) {
        boolean _ = bans.lift(kind, who);
    }

    /** Has this one told of bans, in place of the one before. */
    public void watch(Watcher newWatcher) {
        watcher = newWatcher;
    }

    /**
     * Takes a ban away, here and soon at all nodes.
     *
     * @return whether this node had it
     */
    public boolean lift(Kind kind, String who) {
        boolean was = bans.lift(kind, who);
        watcher.lifted(kind, who);
        return was;
    }

    private void count(
            Cause cause,
            BanLimits limits,
            @Nullable InetAddress from,
            @Nullable String clientId,
            @Nullable String user) {
        if (from == null || config.isExempt(from)) {
            return;
        }
        count(Kind.ADDRESS, cause, limits, text(from));
        if (clientId != null && !clientId.isEmpty() && clientId.length() <= LONGEST_NAME) {
            count(Kind.CLIENT_ID, cause, limits, clientId);
        }
        if (user != null && user.length() <= LONGEST_NAME) {
            count(Kind.USER, cause, limits, user);
        }
    }

    private void count(Kind kind, Cause cause, BanLimits limits, String who) {
        AutomaticBan ban = bans.count(kind, cause, who, limits.of(kind));
        if (ban != null) {
            recorder.banned(kind, cause);
            watcher.made(ban);
        }
    }

    /** An address, or the network of IPv6 addresses that one customer has at least. */
    public static String text(InetAddress address) {
        if (!(address instanceof Inet6Address)) {
            return address.getHostAddress();
        }
        try {
            byte[] network = Arrays.copyOf(Arrays.copyOf(address.getAddress(), NETWORK_BYTES), 2 * NETWORK_BYTES);
            return InetAddress.getByAddress(network).getHostAddress() + "/64";
        } catch (UnknownHostException e) {
            throw new IllegalStateException("not the length of an address", e);
        }
    }
}
