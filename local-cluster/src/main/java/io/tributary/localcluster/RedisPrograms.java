package io.tributary.localcluster;

import java.util.List;

/** Looks for the programs of Redis. */
final class RedisPrograms {
    private RedisPrograms() {}

    /** Fails with what to install where a program is missing. */
    static void check() {
        for (String program : List.of("redis-server", "redis-cli")) {
            try {
                Commands.run(List.of(program, "--version"));
            } catch (LocalClusterException e) {
                throw new LocalClusterException(
                        program + " is needed and cannot be run. To install it (7 or newer), one of: "
                                + "apt-get install redis-server; dnf install redis; brew install redis",
                        e);
            }
        }
    }
}
