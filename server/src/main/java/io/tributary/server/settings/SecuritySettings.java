package io.tributary.server.settings;

import io.tributary.broker.guard.GuardConfig;
import io.tributary.broker.security.AuthenticatorChain;
import io.tributary.broker.security.OnRevocation;
import io.tributary.broker.security.SessionTakeover;
import io.tributary.broker.security.rules.AddressRange;
import io.tributary.broker.security.rules.RuleSet;
import io.tributary.security.AuthenticatorConfig;
import io.tributary.server.settings.check.SettingException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Who may connect, whose session it is, and who may do what.
 *
 * @param anonymous Where clients may connect that bring no password and that no authenticator knows. {@code never};
 *     {@code loopback}: at listeners that nobody but this machine reaches and that have no authenticators;
 *     {@code always}: everywhere.
 * @param sessions Who gets the session that a client identifier has: its messages, its subscriptions and the place of
 *     the connection that is there. {@code principal}: only whom it belongs to; others are refused as long as it lives.
 *     {@code anyone}: whoever may connect with the client identifier. The same on all nodes.
 * @param onRevocation What happens to a client that loses a subscription because rules do not allow it any more
 *     ([security.md](security.md#when-rights-are-withdrawn)). {@code remove}: the subscription is removed, and nothing
 *     tells the client. {@code disconnect}: its connection is closed as well, with 0x87 where it speaks MQTT 5.
 * @param adminTokenFile The file with the tokens that open the API ([security.md](security.md#the-api)): one line of 32
 *     characters or more, or a line {@code NAME:TOKEN} for each administrator; read again when it changes. Others must
 *     not be able to read the file. Without a value a broker that runs alone makes {@code admin.token} in the data
 *     directory at its first start; in a cluster the API is closed.
 * @param seed The YAML file with users, rule sets, bans and tenants that each start puts into the store where they are
 *     not there yet ([security.md](security.md#a-file-to-begin-with)).
 * @param exempt Addresses, or ranges of them (CIDR), that have no connect rate and no automatic bans: networks whose
 *     many clients share an address, and this machine.
 * @param unauthenticated what connections may send before it is known whose they are
 * @param connectRate how often somebody may connect
 * @param bans what a node bans clients for by itself
 * @param authenticators the authenticators, by names of your own, which listeners refer to
 * @param rules what clients may do
 */
public record SecuritySettings(
        @DefaultValue("loopback") Anonymous anonymous,
        @DefaultValue("principal") SessionTakeover sessions,
        @DefaultValue("remove") OnRevocation onRevocation,
        @Nullable String adminTokenFile,
        @Nullable String seed,
        @DefaultValue({"127.0.0.0/8", "::1"}) List<String> exempt,
        @DefaultValue UnauthenticatedSettings unauthenticated,
        @DefaultValue ConnectRateSettings connectRate,
        @DefaultValue BanSettings bans,
        @DefaultValue Map<String, AuthenticatorSettings> authenticators,
        @Nullable List<RuleSetSettings> rules) {

    /** The setting that names the file with the token of administrators. */
    public static final String ADMIN_TOKEN_FILE = TributarySettings.PREFIX + ".security.admin-token-file";

    /** Where clients without credentials may connect. */
    public enum Anonymous {
        /** Nowhere. */
        NEVER,
        /** At listeners that nobody but this machine reaches, as long as they have no authenticators. */
        LOOPBACK,
        /** Everywhere. */
        ALWAYS
    }

    /** The setting that names the file of objects to begin with. */
    public static final String SEED = TributarySettings.PREFIX + ".security.seed";

    /** How many characters the token of administrators must have. */
    public static final int LEAST_TOKEN_CHARACTERS = 32;

    private static final Set<String> TAKEN = Set.of(AuthenticatorChain.ANONYMOUS, AuthenticatorChain.NOBODY);

    /** What a node puts up with. */
    GuardConfig guard(String group) {
        List<AddressRange> ranges = exempt.stream()
                .map(range -> SettingException.naming(group + ".exempt", () -> AddressRange.parse(range.strip())))
                .toList();
        return new GuardConfig(
                unauthenticated.memory().toBytes(),
                (int) unauthenticated.size().toBytes(),
                connectRate.ofAddress(),
                connectRate.ofClient(),
                bans.failures().limits(),
                bans.flapping().limits(),
                ranges);
    }

    /**
     * What the settings say.
     *
     * @param listeners the name of the group of all listeners
     * @param enabled the listeners that are not switched off
     * @throws SettingException when an authenticator or a chain is not well made
     */
    SecurityConfig config(String group, String listeners, Map<String, ListenerSettings> enabled) {
        Map<String, AuthenticatorConfig> configs = new TreeMap<>();
        authenticators.forEach((name, settings) -> {
            String key = group + ".authenticators." + name;
            if (TAKEN.contains(name)) {
                throw new SettingException(key, "'" + name + "' stands for clients that no authenticator knows");
            }
            configs.put(name, settings.config(key, name));
        });
        Map<String, List<String>> chains = new LinkedHashMap<>();
        enabled.forEach((name, listener) -> {
            if (listener.authentication() != null) {
                chains.put(name, chain(listeners + "." + name + ".authentication", listener.authentication()));
            }
        });
        return new SecurityConfig(anonymous, configs, chains, tokenFile(), seedFile());
    }

    private @Nullable Path seedFile() {
        return seed == null
                ? null
                : SettingException.naming(SEED, () -> Path.of(seed).toAbsolutePath());
    }

    private @Nullable Path tokenFile() {
        if (adminTokenFile == null) {
            return null;
        }
        Path file = SettingException.naming(
                ADMIN_TOKEN_FILE, () -> Path.of(adminTokenFile).toAbsolutePath());
        Map<String, String> _ = NamedTokens.read(ADMIN_TOKEN_FILE, file);
        return file;
    }

    private List<String> chain(String key, List<String> names) {
        if (names.isEmpty()) {
            throw new SettingException(key, "is empty; it must be the names of authenticators, with commas between");
        }
        for (String name : names) {
            if (!authenticators.containsKey(name)) {
                throw new SettingException(
                        key,
                        "'" + name + "' is not the name of an authenticator; "
                                + (authenticators.isEmpty()
                                        ? "there are none: " + TributarySettings.PREFIX + ".security.authenticators"
                                        : "there are " + String.join(", ", new TreeSet<>(authenticators.keySet()))));
            }
        }
        if (new TreeSet<>(names).size() < names.size()) {
            throw new SettingException(key, "'" + String.join(",", names) + "' names one twice");
        }
        return List.copyOf(names);
    }

    /**
     * The rule sets; none when everybody may do everything.
     *
     * @param listeners the names of all listeners
     * @throws SettingException when one is not well made
     */
    List<RuleSet> ruleSets(String group, Set<String> listeners) {
        if (rules == null) {
            return List.of();
        }
        if (rules.isEmpty()) { // a list that was left empty must not open what it was to close
            throw new SettingException(
                    group + ".rules", "is empty; leave it out for no rules, where everybody may do everything");
        }
        List<RuleSetSettings> sets = rules;
        List<Supplier<RuleSet>> each = IntStream.range(0, sets.size())
                .<Supplier<RuleSet>>mapToObj(
                        i -> () -> sets.get(i).ruleSet(group + ".rules[" + i + "]", "rules[" + i + "]", listeners))
                .toList();
        return SettingException.together(() -> each.stream().map(Supplier::get).toList(), each);
    }
}
