package io.tributary.localcluster;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Calls {@code redis-cli}. */
final class RedisCli {
    private static final String PROGRAM = "redis-cli";

    private final @Nullable AdminUser user;
    private final @Nullable LocalAuthority authority;

    /**
     * Calls it for this user, or for nobody in particular.
     *
     * @param authority whose certificate the servers show; null if connections are not encrypted
     */
    RedisCli(@Nullable AdminUser user, @Nullable LocalAuthority authority) {
        this.user = user;
        this.authority = authority;
    }

    /** A command to the server on this port; what it answered. */
    String call(int port, String... command) {
        List<String> words = new ArrayList<>(List.of("-p", Integer.toString(port)));
        words.addAll(List.of(command));
        return run(words);
    }

    /** Whether the server on this port answers, and takes commands. */
    boolean answers(int port) {
        try {
            return call(port, "PING").startsWith("PONG");
        } catch (LocalClusterException e) {
            return false;
        }
    }

    /** Runs it with these arguments, the user's name before them and the password in its environment. */
    String run(List<String> arguments) {
        List<String> words = new ArrayList<>(List.of(PROGRAM));
        if (authority != null) {
            words.addAll(List.of("--tls", "--cacert", authority.certificates().toString()));
        }
        if (user == null) {
            words.addAll(arguments);
            return Commands.run(words);
        }
        words.addAll(List.of("--user", user.name()));
        words.addAll(arguments);
        return Commands.run(words, Map.of("REDISCLI_AUTH", user.password()));
    }
}
