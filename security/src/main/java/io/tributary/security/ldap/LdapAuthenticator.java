package io.tributary.security.ldap;

import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.DereferencePolicy;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPConnectionOptions;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPSearchException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.SimpleBindRequest;
import com.unboundid.ldap.sdk.extensions.StartTLSExtendedRequest;
import io.tributary.broker.security.Asker;
import io.tributary.broker.security.Authenticator;
import io.tributary.broker.security.ClientInfo;
import io.tributary.common.event.Principal;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.security.AuthenticatorContext;
import io.tributary.security.ldap.LdapConfig.Encryption;
import io.tributary.security.ldap.LdapConfig.LoginName;
import io.tributary.security.ldap.LdapConfig.Search;
import io.tributary.security.ldap.LdapConfig.Template;
import io.tributary.security.web.Authorities;
import io.tributary.security.work.WorkPool;
import java.security.NoSuchAlgorithmException;
import java.text.Normalizer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Users in a directory: who can bind as an entry, with the password, is it. The entry's name follows from the user name
 * by a template, or is searched for. What a client sends is escaped: it is a value and never a part of a name or
 * filter.
 */
final class LdapAuthenticator implements Authenticator {
    private static final int TIMEOUT_MILLIS = (int) Duration.ofSeconds(2).toMillis();
    private static final int MOST_GROUPS = 100;
    private static final String NO_ATTRIBUTES = "1.1";

    /**
     * What an account of Active Directory may be called, as far as it is ASCII: of other letters the directory takes
     * some for others, and one user would be several principals.
     */
    private static final Pattern PLAIN = Pattern.compile("[!-~&&[^\"/\\\\\\[\\]:;|=,+*?<>@]]+");

    private static final Pattern ASCII = Pattern.compile("[ -~]+");

    private final LdapConfig config;
    private final WorkPool threads;

    LdapAuthenticator(LdapConfig config, WorkPool threads) {
        this.config = config;
        this.threads = threads;
    }

    @Override
    public CompletionStage<Result> authenticate(ClientInfo client, byte @Nullable [] password) {
        return authenticate(client, password, Asker.UNKNOWN);
    }

    @Override
    public CompletionStage<Result> authenticate(ClientInfo client, byte @Nullable [] password, Asker asker) {
        String name = client.userName();
        if (name == null || name.isEmpty() || password == null) {
            return Authenticator.answer(NotMine.PLAIN);
        }
        if (password.length == 0) { // a bind without a password asks for nothing, and would succeed [RFC 4513, 5.1.2]
            return Authenticator.answer(new Refused(ReasonCode.BAD_USER_NAME_OR_PASSWORD, "an empty password"));
        }
        return AuthenticatorContext.busyWhenRejected(threads.submit(asker, () -> ask(name, password, asker)));
    }

    private Result ask(String name, byte[] password, Asker asker) {
        try (LDAPConnection connection = connect()) {
            return switch (config.users()) {
                case Template(String template) -> bind(connection, entry(template, name), name, password);
                case LoginName(String template) -> login(connection, template, name, password);
                case Search search -> search(connection, search, name, password, asker);
            };
        } catch (LDAPException failure) { // its words may have what the client sent
            throw new IllegalStateException("the directory cannot be used: " + failure.getResultCode());
        }
    }

    private static String entry(String template, String name) throws LDAPException {
        return new DN(template.replace(LdapConfig.PLACEHOLDER, Rdn.escapeValue(name))).toNormalizedString();
    }

    private Result bind(LDAPConnection connection, String entry, String name, byte[] password) throws LDAPException {
        if (!canBind(connection, entry, password)) {
            return wrong(entry);
        }
        String known = ASCII.matcher(name).matches() ? entry : asStored(connection, entry);
        return known == null
                ? new Refused(ReasonCode.NOT_AUTHORIZED, "the directory does not show the user its own entry")
                : accepted(known, groups(connection, known));
    }

    /** Of letters beyond ASCII a directory takes some for others, such as wide ones: it knows whose entry it is. */
    private static @Nullable String asStored(LDAPConnection connection, String entry) throws LDAPException {
        SearchResultEntry found = connection.getEntry(entry, NO_ATTRIBUTES);
        return found == null ? null : new DN(found.getDN()).toNormalizedString();
    }

    /** The directory does not say which entry that is: the name, in small letters, is the principal's. */
    private Result login(LDAPConnection connection, String template, String name, byte[] password)
            throws LDAPException {
        String user = name.toLowerCase(Locale.ROOT);
        if (!PLAIN.matcher(name).matches()
                || !canBind(connection, template.replace(LdapConfig.PLACEHOLDER, name), password)) {
            return new Refused(ReasonCode.BAD_USER_NAME_OR_PASSWORD, "wrong password, or no such user", null, user);
        }
        try {
            return new Accepted(null, new Principal(config.realm(), user, user, null, List.of(), null), null, Map.of());
        } catch (IllegalArgumentException tooMuch) {
            return new Refused(ReasonCode.NOT_AUTHORIZED, tooMuch.getMessage());
        }
    }

    private Result search(LDAPConnection connection, Search search, String name, byte[] password, Asker asker)
            throws LDAPException {
        connection.bind(search.user(), search.password().get());
        String filter = search.filter().replace(LdapConfig.PLACEHOLDER, Filter.encodeValue(name));
        List<SearchResultEntry> found = search(connection, search.base(), filter, 1, NO_ATTRIBUTES);
        if (found == null) {
            return new Refused(ReasonCode.BAD_USER_NAME_OR_PASSWORD, "several entries have the user name");
        }
        if (found.isEmpty()) {
            String nobody = "cn=" + UUID.randomUUID() + "," + search.base();
            return new NotMine(() -> threads.submit(asker, () -> pretend(nobody, password)));
        }
        String entry = found.getFirst().getDN();
        @Nullable List<String> groups = groups(connection, entry);
        return canBind(connection, entry, password) ? accepted(entry, groups) : wrong(entry);
    }

    private boolean pretend(String entry, byte[] password) {
        try (LDAPConnection connection = connect()) {
            return canBind(connection, entry, password);
        } catch (LDAPException failure) {
            return false;
        }
    }

    /**
     * A directory does not tell "Ann" from "ann": the principal is the entry, however its name was written.
     *
     * @param groups null for too many: without some of them, a rule that denies could be missed
     */
    private Result accepted(String entry, @Nullable List<String> groups) throws LDAPException {
        if (groups == null) {
            return new Refused(
                    ReasonCode.NOT_AUTHORIZED,
                    "the directory has more than " + MOST_GROUPS + " groups for the user, or than it tells");
        }
        DN name = new DN(entry);
        try {
            return new Accepted(
                    null,
                    new Principal(config.realm(), name.toNormalizedString(), userName(name), null, groups, null),
                    null,
                    Map.of());
        } catch (IllegalArgumentException tooMuch) {
            return new Refused(ReasonCode.NOT_AUTHORIZED, tooMuch.getMessage());
        }
    }

    /** Null for too many. */
    private @Nullable List<String> groups(LDAPConnection connection, String entry) throws LDAPException {
        LdapConfig.Groups groups = config.groups();
        if (groups == null) {
            return List.of();
        }
        String filter = groups.filter().replace(LdapConfig.PLACEHOLDER, Filter.encodeValue(entry));
        List<SearchResultEntry> all = search(connection, groups.base(), filter, MOST_GROUPS, groups.attribute());
        if (all == null) {
            return null;
        }
        List<String> names = new ArrayList<>();
        for (SearchResultEntry found : all) {
            String[] values = found.getAttributeValues(groups.attribute());
            if (values != null) {
                names.addAll(List.of(values));
            }
        }
        return names.size() > MOST_GROUPS ? null : names;
    }

    /** Null where there are more entries than so many, or than the directory tells. */
    private static @Nullable List<SearchResultEntry> search(
            LDAPConnection connection, String base, String filter, int most, String attribute) throws LDAPException {
        SearchRequest request = new SearchRequest(
                base,
                SearchScope.SUB,
                DereferencePolicy.NEVER,
                most,
                TIMEOUT_MILLIS / 1_000,
                false,
                Filter.create(filter),
                attribute);
        try {
            List<SearchResultEntry> found = connection.search(request).getSearchEntries();
            return found == null ? List.of() : found;
        } catch (LDAPSearchException failure) {
            if (failure.getResultCode().equals(ResultCode.SIZE_LIMIT_EXCEEDED)) {
                return null;
            }
            throw failure;
        }
    }

    private static boolean canBind(LDAPConnection connection, String entry, byte[] password) throws LDAPException {
        try {
            connection.bind(new SimpleBindRequest(entry, password));
            return true;
        } catch (LDAPException failure) {
            ResultCode code = failure.getResultCode();
            if (code.equals(ResultCode.INVALID_CREDENTIALS)
                    || code.equals(ResultCode.NO_SUCH_OBJECT)
                    || code.equals(ResultCode.INVALID_DN_SYNTAX)) {
                return false;
            }
            throw failure;
        }
    }

    private LDAPConnection connect() throws LDAPException {
        LDAPConnectionOptions options = new LDAPConnectionOptions();
        options.setConnectTimeoutMillis(TIMEOUT_MILLIS);
        options.setResponseTimeoutMillis(TIMEOUT_MILLIS);
        options.setUseSynchronousMode(true);
        options.setFollowReferrals(false);
        options.setSSLSocketVerifier(new ServerName());
        if (config.encryption() == Encryption.TLS) {
            TimedSockets sockets = new TimedSockets(trust().getSocketFactory(), TIMEOUT_MILLIS);
            return new LDAPConnection(sockets, options, config.host(), config.port());
        }
        LDAPConnection connection = new LDAPConnection(options, config.host(), config.port());
        try {
            if (config.encryption() == Encryption.START_TLS) {
                var answer = connection.processExtendedOperation(new StartTLSExtendedRequest(trust()));
                if (!answer.getResultCode().equals(ResultCode.SUCCESS)) {
                    throw new LDAPException(answer);
                }
            }
            return connection;
        } catch (LDAPException e) {
            connection.close();
            throw e;
        }
    }

    /** Read each time, so that new authorities count. */
    private SSLContext trust() {
        try {
            return config.authorities() == null ? SSLContext.getDefault() : Authorities.trusting(config.authorities());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has TLS", e);
        }
    }

    private static String userName(DN entry) {
        return Objects.requireNonNull(entry.getRDN())
                .getAttributeValues()[0]
                .strip()
                .toLowerCase(Locale.ROOT);
    }

    /** Guesses count as one user's, however its name is written in letters that a directory takes for one. */
    private static Refused wrong(String entry) throws LDAPException {
        String user = Normalizer.normalize(userName(new DN(entry)), Normalizer.Form.NFKC);
        return new Refused(
                ReasonCode.BAD_USER_NAME_OR_PASSWORD,
                "wrong password, or no such entry",
                null,
                user.toLowerCase(Locale.ROOT));
    }
}
