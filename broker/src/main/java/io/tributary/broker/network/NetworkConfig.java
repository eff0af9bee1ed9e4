package io.tributary.broker.network;

import java.time.Duration;

/**
 * How the sockets of all listeners are run.
 *
 * @param eventLoops the number of event loops; 0 for one a core
 * @param backlog how many connections the system keeps that are not accepted yet
 * @param writeLowBytes messages are written again when fewer bytes than this wait in a socket's buffer
 * @param writeHighBytes no message is written while more bytes than this wait in a socket's buffer
 * @param maxStall how long a client may read nothing while messages wait for it; zero for ever
 * @param linger how long a connection that is being closed is given to take its last packet
 */
public record NetworkConfig(
        int eventLoops, int backlog, int writeLowBytes, int writeHighBytes, Duration maxStall, Duration linger) {

    /** Settings that suit most machines. */
    public static final NetworkConfig DEFAULT =
            new NetworkConfig(0, 1_024, 32 * 1024, 64 * 1024, Duration.ZERO, Duration.ofSeconds(2));

    /** Checks the ranges. */
    public NetworkConfig {
        if (eventLoops < 0 || backlog < 1) {
            throw new IllegalArgumentException("eventLoops " + eventLoops + ", backlog " + backlog);
        }
        if (writeLowBytes < 1 || writeHighBytes < writeLowBytes) {
            throw new IllegalArgumentException("writeLowBytes " + writeLowBytes + ", writeHighBytes " + writeHighBytes);
        }
        if (maxStall.isNegative() || !linger.isPositive()) {
            throw new IllegalArgumentException("maxStall " + maxStall + ", linger " + linger);
        }
    }
}
