package io.tributary.server.settings;

import io.tributary.cluster.link.ClusterSecret;
import io.tributary.cluster.link.LinkConfig;
import io.tributary.cluster.link.LinkTimings;
import io.tributary.server.settings.check.Allowed;
import io.tributary.server.settings.check.SettingException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The direct connections between nodes. They have a port of their own, which nobody but nodes should reach: what goes
 * over it is authenticated, and encrypted only with TLS.
 *
 * @param host The local address to listen at, where the other nodes reach this one: {@code 127.0.0.1} where all are on
 *     one machine. Needed, for no default would be right.
 * @param port The port to listen at; 0 picks a free one.
 * @param advertisedHost The host that other nodes are told, if it is not {@code host}; needed where that is
 *     {@code 0.0.0.0}.
 * @param advertisedPort The port that other nodes are told; 0 for the one that is listened at.
 * @param secretFile The file with the secret by which the nodes of a cluster know each other: a line of at least 16
 *     bytes, which others must not be able to read. A second line is a secret that is accepted, too, so that secrets
 *     can be changed under load. The file is read again when it changes. Needed.
 * @param outboundSize How much may wait for one node; beyond that, what is for it is refused.
 * @param tls how they are encrypted
 * @param eventLoops The number of event loops that carry the connections; 0 for one for each two cores.
 */
public record LinkSettings(
        @Nullable String host,

        @DefaultValue("7883") @Allowed(min = "0", max = "65535")
        int port,

        @Nullable String advertisedHost,

        @DefaultValue("0") @Allowed(min = "0", max = "65535")
        int advertisedPort,

        @Nullable String secretFile,

        @DefaultValue("64MB") @Allowed(min = "1MB") DataSize outboundSize,

        @DefaultValue LinkTlsSettings tls,

        @DefaultValue("0") @Allowed(min = "0", max = "1024") int eventLoops) {

    private static final Set<String> ANY_HOST = Set.of("0.0.0.0", "::", "[::]");

    LinkConfig config(String name, String clusterId) {
        return SettingException.together(
                () -> linkConfig(name, clusterId),
                List.of(() -> checkedHost(name), () -> secret(name + ".secret-file")));
    }

    private LinkConfig linkConfig(String name, String clusterId) {
        String local = checkedHost(name);
        ClusterSecret secret = secret(name + ".secret-file");
        LinkConfig defaults = LinkConfig.defaults(clusterId, secret, local, port);
        return SettingException.naming(
                name,
                () -> new LinkConfig(
                        clusterId,
                        secret,
                        local,
                        port,
                        eventLoops == 0 ? defaults.eventLoops() : eventLoops,
                        outboundSize.toBytes(),
                        defaults.maxHalfOpen(),
                        LinkTimings.DEFAULT));
    }

    private String checkedHost(String name) {
        if (host == null || host.isBlank()) {
            throw new SettingException(
                    name + ".host",
                    "is missing; it must be an address of this machine at which the other nodes reach this one "
                            + "(127.0.0.1 where all are on one machine)");
        }
        if (ANY_HOST.contains(host) && (advertisedHost == null || ANY_HOST.contains(advertisedHost))) {
            throw new SettingException(
                    name + ".advertised-host",
                    "is missing; with host=" + host + " it must be the host at which the other nodes reach this one");
        }
        if (advertisedHost != null && advertisedHost.isBlank()) {
            throw new SettingException(name + ".advertised-host", "must not be empty");
        }
        return host;
    }

    private ClusterSecret secret(String name) {
        if (secretFile == null || secretFile.isBlank()) {
            throw new SettingException(
                    name,
                    "is missing; it must be a file with the secret that all nodes of the cluster have, made for instance with "
                            + "openssl rand -base64 32");
        }
        return SettingException.naming(name, () -> ClusterSecret.inFile(Path.of(secretFile)));
    }
}
