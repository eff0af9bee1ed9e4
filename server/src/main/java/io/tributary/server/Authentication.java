package io.tributary.server;

import io.tributary.broker.BrokerExtensions;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.broker.network.ProxyProtocolConfig;
import io.tributary.broker.security.AuthenticationRecorder;
import io.tributary.broker.security.AuthenticatorChain;
import io.tributary.broker.security.AuthenticatorChain.Chain;
import io.tributary.broker.security.AuthenticatorChain.Link;
import io.tributary.broker.security.store.SecurityStore;
import io.tributary.broker.tls.TlsConfig;
import io.tributary.security.AuthenticatorContext;
import io.tributary.security.x509.X509Authenticator;
import io.tributary.server.settings.SecurityConfig;
import io.tributary.server.settings.SecuritySettings.Anonymous;
import io.tributary.server.settings.ServerConfig;
import io.tributary.server.settings.TributarySettings;
import io.tributary.server.settings.check.SettingException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The authenticators of the listeners, and what they hold: made from the settings before the broker starts, closed
 * after it. Where a listener has none, the platform's own authenticator is asked, if there is one.
 *
 * @param chain all of them
 * @param context what they share
 */
record Authentication(AuthenticatorChain chain, AuthenticatorContext context) implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Authentication.class);
    private static final String ANONYMOUS = TributarySettings.PREFIX + ".security.anonymous";
    private static final String PLATFORM = "platform";

    /**
     * Opens them.
     *
     * @param platform the platform's own parts; null when there are none
     * @param store the broker's users and device tokens
     * @throws SettingException when a listener would let in everybody, or nobody, and nothing says that it is meant so
     */
    static Authentication open(
            ServerConfig config,
            @Nullable BrokerExtensions platform,
            SecurityStore store,
            AuthenticationRecorder recorder) {
        List<ListenerConfig> listeners = config.broker().listeners();
        if (platform == null) {
            checkOpenListeners(config.security(), listeners);
        }
        AuthenticatorContext context = AuthenticatorContext.create(store.clock(), store);
        Map<String, Link> links = new HashMap<>();
        try {
            config.security().chains().values().stream()
                    .flatMap(List::stream)
                    .distinct()
                    .forEach(name -> {
                        var authenticator = Objects.requireNonNull(
                                config.security().authenticators().get(name));
                        links.put(name, authenticator.open(name, context));
                    });
            Map<String, Chain> chains = new HashMap<>();
            for (ListenerConfig listener : listeners) {
                chains.put(listener.name(), chain(config.security(), listener, links, platform));
            }
            return new Authentication(new AuthenticatorChain(chains, recorder), context);
        } catch (RuntimeException e) {
            links.values().forEach(link -> link.onClose().run());
            context.close();
            throw e;
        }
    }

    private static Chain chain(
            SecurityConfig security,
            ListenerConfig listener,
            Map<String, Link> links,
            @Nullable BrokerExtensions platform) {
        List<Link> own = new ArrayList<>();
        List<String> names = security.chains().getOrDefault(listener.name(), List.of());
        checkCertificates(names, security, listener);
        names.forEach(name -> own.add(Objects.requireNonNull(links.get(name))));
        if (own.isEmpty() && platform != null) {
            own.add(new Link(PLATFORM, platform.authenticator(), platform.enhanced(), () -> {}));
        }
        boolean anonymous = security.anonymous() == Anonymous.ALWAYS
                || (security.anonymous() == Anonymous.LOOPBACK && own.isEmpty());
        return SettingException.naming(key(listener) + ".authentication", () -> new Chain(own, anonymous));
    }

    /** Where others in the chain let clients in, x509 is only of no use there. */
    private static void checkCertificates(List<String> chain, SecurityConfig security, ListenerConfig listener) {
        List<String> byCertificate = chain.stream()
                .filter(name -> security.authenticators().get(name) instanceof X509Authenticator.Config)
                .toList();
        TlsConfig tls = listener.tls();
        ProxyProtocolConfig proxies = listener.proxyProtocol();
        boolean areAsked = tls != null && tls.clientCertificates() != TlsConfig.ClientCertificates.NONE;
        if (byCertificate.isEmpty() || areAsked || (proxies != null && proxies.certificateName())) {
            return;
        }
        String why = "'" + byCertificate.getFirst()
                + "' is of kind=x509, and nobody shows this listener a certificate; set "
                + key(listener) + ".tls.client-certificates to want or need, or, behind proxies that verify them, "
                + key(listener) + ".proxy-protocol.certificate-name=true";
        if (byCertificate.size() == chain.size()) {
            throw new SettingException(key(listener) + ".authentication", why);
        }
        LOG.warn("{}.authentication: {}", key(listener), why);
    }

    private static void checkOpenListeners(SecurityConfig security, List<ListenerConfig> listeners) {
        List<String> lines = new ArrayList<>();
        for (ListenerConfig listener : listeners) {
            boolean hasChain = security.chains().containsKey(listener.name());
            boolean isReached = listener.proxyProtocol() != null || isReachedByOthers(listener.host());
            if (security.anonymous() == Anonymous.ALWAYS && isReached) {
                LOG.warn(
                        "everybody who reaches {} may connect without a password (listener '{}', {}=always)",
                        listener.host(),
                        listener.name(),
                        ANONYMOUS);
            } else if (!hasChain && security.anonymous() == Anonymous.NEVER) {
                lines.add(
                        key(listener) + ".authentication: is missing, and with " + ANONYMOUS
                                + "=never nobody could connect; name authenticators, or switch the listener off with enabled=false");
            } else if (!hasChain && isReached && security.anonymous() == Anonymous.LOOPBACK) {
                lines.add(key(listener) + ".host: '" + listener.host() + "' can be reached by others"
                        + (listener.proxyProtocol() == null ? "" : " through proxies") + ", and nothing says who"
                        + " may connect; name authenticators in " + key(listener) + ".authentication"
                        + " (docs/security.md), or set " + ANONYMOUS + "=always to let everybody in");
            }
        }
        if (!lines.isEmpty()) {
            throw new SettingException(lines);
        }
    }

    /** A host that is unknown is reached by nobody: the listener will say so. */
    private static boolean isReachedByOthers(String host) {
        try {
            return !InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }

    private static String key(ListenerConfig listener) {
        return TributarySettings.PREFIX + ".listeners." + listener.name();
    }

    @Override
    public void close() {
        chain.close();
        context.close();
    }
}
