package io.tributary.server.blackbox.hostile;

import java.time.Duration;

/** How much of it: a slice for every build, or all with {@code -Dhostile.scale=full}. */
enum Scale {
    SLICE(2_000, 20_000, 2_000, 150, Duration.ofSeconds(3)),
    FULL(10_000, 500_000, 50_000, 1_000, Duration.ofSeconds(10));

    final int halfOpen;
    final int messages;
    final int connects;
    final int unfinished;

    /** How long the broker gives a client for its CONNECT. */
    final Duration connectTimeout;

    Scale(int halfOpen, int messages, int connects, int unfinished, Duration connectTimeout) {
        this.halfOpen = halfOpen;
        this.messages = messages;
        this.connects = connects;
        this.unfinished = unfinished;
        this.connectTimeout = connectTimeout;
    }

    static Scale wanted() {
        return System.getProperty("hostile.scale", "slice").equals("full") ? FULL : SLICE;
    }
}
