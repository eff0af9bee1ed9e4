package io.tributary.broker.network;

import static io.tributary.common.setting.InvalidSettingException.checkPositive;

import io.tributary.broker.security.rules.AddressRange;
import io.tributary.common.setting.InvalidSettingException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;

/**
 * The PROXY protocol of a listener whose connections come from proxies, which say whose they are.
 *
 * @param trusted where proxies are; all other connections are closed, for whoever may send a header can name any
 *     address
 * @param timeout how long a connection may take to bring its header
 * @param certificateName whether the name in the client's certificate is the one that the proxy has verified; a
 *     certificate that this listener itself verifies, the proxy's own, then says nothing of the client
 */
public record ProxyProtocolConfig(List<AddressRange> trusted, Duration timeout, boolean certificateName) {
    /** How long a connection may take to bring its header unless something else is said. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);

    /** Copies the list and checks that there are proxies. */
    public ProxyProtocolConfig {
        trusted = List.copyOf(trusted);
        if (trusted.isEmpty()) {
            throw new InvalidSettingException("trusted", "is empty; nobody could connect");
        }
        checkPositive("timeout", timeout);
    }

    /** Proxies at these addresses; what they know of certificates does not count. */
    public ProxyProtocolConfig(List<AddressRange> trusted) {
        this(trusted, DEFAULT_TIMEOUT, false);
    }

    /** Whether a connection from there may say whose it is. */
    boolean isTrusted(SocketAddress from) {
        return from instanceof InetSocketAddress internet
                && internet.getAddress() != null
                && trusted.stream().anyMatch(range -> range.contains(internet.getAddress()));
    }
}
