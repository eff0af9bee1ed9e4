package io.tributary.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.guard.BanLimit;
import io.tributary.broker.guard.BanLimits;
import io.tributary.broker.guard.ConnectRate;
import io.tributary.broker.guard.GuardConfig;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.broker.network.ProxyProtocolConfig;
import io.tributary.broker.security.rules.AddressRange;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The settings of what clients meet first, right and wrong. */
class EdgeSettingsTest {
    private static final String PROXY = "tributary.listeners.tcp.proxy-protocol.";
    private static final String ORIGINS = "tributary.listeners.ws.allowed-origins";
    private static final String SECURITY = "tributary.security.";
    private static final String OPEN = "tributary.security.anonymous=always";

    @TempDir
    private Path folder;

    @Test
    void proxyProtocolIsWhatTheBrokerIsTold() {
        assertThat(listener("tcp").proxyProtocol()).isNull();
        assertThat(listener("tcp", OPEN, PROXY + "enabled=true", PROXY + "trusted=10.0.0.0/8, ::1")
                        .proxyProtocol())
                .isEqualTo(new ProxyProtocolConfig(
                        List.of(AddressRange.parse("10.0.0.0/8"), AddressRange.parse("::1")),
                        Duration.ofSeconds(5),
                        false));
        assertThat(listener(
                                "tcp",
                                OPEN,
                                PROXY + "enabled=true",
                                PROXY + "trusted=10.0.0.1",
                                PROXY + "timeout=2s",
                                PROXY + "certificate-name=true")
                        .proxyProtocol())
                .isEqualTo(
                        new ProxyProtocolConfig(List.of(AddressRange.parse("10.0.0.1")), Duration.ofSeconds(2), true));
    }

    @Test
    void wrongProxyProtocolStopsTheStart() {
        assertThat(failure(PROXY + "enabled=true"))
                .startsWith(PROXY + "trusted: is missing; it must be the addresses of the proxies, such as 10.0.0.0/8");
        assertThat(failure(PROXY + "enabled=true", PROXY + "trusted=balancer"))
                .startsWith(PROXY + "trusted: 'balancer' is not an IP address or a range of them");
        assertThat(failure(PROXY + "enabled=true", PROXY + "trusted=10.0.0.1", PROXY + "timeout=1ms"))
                .contains(PROXY + "timeout");
        assertThat(failure(PROXY + "enabled=true", PROXY + "trusted=127.0.0.1"))
                .startsWith("tributary.listeners.tcp.host: '127.0.0.1' can be reached by others through proxies, and"
                        + " nothing says who may connect");
    }

    @Test
    void allowedOriginsAreWhatTheBrokerIsTold() {
        assertThat(listener("ws").allowedOrigins()).isNull();
        assertThat(listener("ws", ORIGINS + "=https://a.example, https://*.b.example:*")
                        .allowedOrigins())
                .hasToString("[https://a.example, https://*.b.example:*]");
    }

    @Test
    void wrongOriginStopsTheStart() {
        assertThat(failure(ORIGINS + "=a.example"))
                .startsWith(ORIGINS + ": 'a.example' is not where a page is, such as https://app.example.com");
        assertThat(failure("tributary.listeners.tcp.allowed-origins=*"))
                .startsWith("tributary.listeners.tcp.allowed-origins: has no effect without kind=websocket");
    }

    @Test
    void guardIsWhatTheBrokerIsTold() {
        assertThat(Applications.config(arguments()).guard()).isEqualTo(GuardConfig.DEFAULT);
        assertThat(Applications.config(arguments(
                                SECURITY + "unauthenticated.memory=2MB",
                                SECURITY + "unauthenticated.size=4KB",
                                SECURITY + "exempt=10.0.0.0/8",
                                SECURITY + "connect-rate.address=1",
                                SECURITY + "connect-rate.address-burst=2",
                                SECURITY + "connect-rate.client=0",
                                SECURITY + "bans.failures.user=3",
                                SECURITY + "bans.failures.user-within=4s",
                                SECURITY + "bans.failures.user-duration=5m",
                                SECURITY + "bans.failures.address=0",
                                SECURITY + "bans.flapping.client-id=0"))
                        .guard())
                .isEqualTo(new GuardConfig(
                        2 << 20,
                        4 * 1024,
                        new ConnectRate(1, 2),
                        new ConnectRate(0, 60),
                        new BanLimits(
                                BanLimit.NONE,
                                new BanLimit(3, Duration.ofSeconds(4), Duration.ofMinutes(5)),
                                BanLimit.NONE),
                        BanLimits.NONE,
                        List.of(AddressRange.parse("10.0.0.0/8"))));
    }

    @Test
    void wrongGuardStopsTheStart() {
        assertThat(failure(SECURITY + "exempt=10.0.0.1/8"))
                .startsWith(SECURITY + "exempt: '10.0.0.1/8' has bits behind");
        assertThat(failure(SECURITY + "unauthenticated.memory=1KB")).contains(SECURITY + "unauthenticated.memory");
        assertThat(failure(SECURITY + "bans.failures.address=-1")).contains(SECURITY + "bans.failures.address");
    }

    private ListenerConfig listener(String name, String... settings) {
        return Applications.config(arguments(settings)).listeners().stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private String failure(String... settings) {
        return Applications.failure(arguments(settings));
    }

    private String[] arguments(String... settings) {
        List<String> arguments = new ArrayList<>(List.of("--tributary.data-dir=" + folder.resolve("data")));
        for (String setting : settings) {
            arguments.add("--" + setting);
        }
        return arguments.toArray(String[]::new);
    }
}
