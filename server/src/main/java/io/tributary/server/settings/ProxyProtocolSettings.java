package io.tributary.server.settings;

import io.tributary.broker.network.ProxyProtocolConfig;
import io.tributary.broker.security.rules.AddressRange;
import io.tributary.server.settings.check.Allowed;
import io.tributary.server.settings.check.SettingException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The PROXY protocol, by which load balancers say whose connections they hand on; see docs/security.md.
 *
 * @param enabled Whether each connection begins with a header of the PROXY protocol, version 1 or 2. Others are closed.
 * @param trusted The addresses of the proxies, ranges of them (CIDR) or single ones. Connections of others are closed.
 * @param timeout How long a connection may take to bring its header.
 * @param certificateName Whether the name in a client's certificate is the one that the proxy has verified
 *     ({@code send-proxy-v2-ssl-cn} of HAProxy), for authenticators of kind {@code x509} and for rules.
 */
public record ProxyProtocolSettings(
        @DefaultValue("false") boolean enabled,
        @Nullable List<String> trusted,

        @DefaultValue("5s") @Allowed(min = "100ms", max = "1m")
        Duration timeout,

        @DefaultValue("false") boolean certificateName) {

    /**
     * What the listener is told; null when it takes clients themselves.
     *
     * @throws SettingException when it is not said who the proxies are
     */
    @Nullable
    ProxyProtocolConfig config(String group) {
        if (!enabled) {
            return null;
        }
        if (trusted == null || trusted.isEmpty()) {
            throw new SettingException(
                    group + ".trusted",
                    "is missing; it must be the addresses of the proxies, such as 10.0.0.0/8: whoever may send a header can"
                            + " name any address");
        }
        List<AddressRange> ranges = new ArrayList<>();
        for (String range : trusted) {
            ranges.add(SettingException.naming(group + ".trusted", () -> AddressRange.parse(range.strip())));
        }
        return new ProxyProtocolConfig(ranges, timeout, certificateName);
    }
}
