package io.tributary.localcluster;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one local Redis server.
 *
 * @param appendOnly whether each write goes to a file at once
 * @param save when snapshots are written, as the setting {@code save} has it; empty for never
 * @param user who may do anything, or null for everybody
 * @param authority whose certificate it shows to clients and to the other servers; null for no encryption
 */
record RedisSettings(
        int port,
        int busPort,
        Path data,
        boolean appendOnly,
        String save,
        @Nullable AdminUser user,
        @Nullable LocalAuthority authority) {

    /** All of them, as its configuration file has them. */
    List<String> lines() {
        List<String> lines = new ArrayList<>(List.of(
                "bind 127.0.0.1",
                "port " + (authority == null ? port : 0),
                "cluster-enabled yes",
                "cluster-port " + busPort,
                "cluster-config-file nodes.conf",
                // A primary that is gone is missed after two seconds; a replica follows a second later.
                "cluster-node-timeout 2000",
                "cluster-announce-ip 127.0.0.1",
                "dir " + quoted(data.toString()),
                "maxmemory-policy noeviction",
                "appendonly " + (appendOnly ? "yes" : "no"),
                "save " + quoted(save),
                "repl-diskless-sync-delay 0",
                "daemonize no",
                // Its command line stays as it was started, by which we know it again.
                "set-proc-title no"));
        if (user != null) {
            lines.add("user default off");
            lines.add("user " + user.name() + " on ~* &* +@all " + quoted(">" + user.password()));
            lines.add("masteruser " + user.name());
            lines.add("masterauth " + quoted(user.password()));
        }
        if (authority != null) {
            lines.add("tls-port " + port);
            lines.add("tls-cert-file " + quoted(authority.serverCertificate().toString()));
            lines.add("tls-key-file " + quoted(authority.serverKey().toString()));
            lines.add("tls-ca-cert-file " + quoted(authority.certificates().toString()));
            lines.add("tls-auth-clients no");
            lines.add("tls-cluster yes");
            lines.add("tls-replication yes");
        }
        return lines;
    }

    private static String quoted(String value) {
        return '"' + value.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
