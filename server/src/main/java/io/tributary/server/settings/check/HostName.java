package io.tributary.server.settings.check;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/** The name of the host, which is that of a node that was given none. */
public final class HostName {
    private HostName() {}

    /**
     * The value of the environment variable {@code HOSTNAME}, as containers have it, or else what the system says.
     *
     * @param setting what to set where the host has no name that tells it from others
     */
    public static String get(String setting) {
        String name = System.getenv("HOSTNAME");
        if (name == null || name.isBlank()) {
            name = ofSystem();
        }
        if (name == null || name.startsWith("localhost")) {
            throw new SettingException(
                    setting, "is missing, and this host has no name of its own; each node of a cluster needs one");
        }
        return name;
    }

    private static @Nullable String ofSystem() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return null;
        }
    }
}
