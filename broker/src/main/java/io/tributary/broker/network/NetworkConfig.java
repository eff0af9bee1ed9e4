package io.tributary.broker.network;

import static io.tributary.common.setting.InvalidSettingException.checkAtLeast;
import static io.tributary.common.setting.InvalidSettingException.checkPositive;
import static io.tributary.common.setting.InvalidSettingException.checkWithin;

import io.tributary.common.setting.InvalidSettingException;
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
        checkWithin("event-loops", eventLoops, 0, 1024);
        checkAtLeast("backlog", backlog, 1);
        checkAtLeast("write-low", writeLowBytes, 1);
        if (writeHighBytes < writeLowBytes) {
            throw new InvalidSettingException(
                    "write-low", writeLowBytes + " is more than write-high, which is " + writeHighBytes);
        }
        checkAtLeast("max-stall", maxStall, Duration.ZERO);
        checkPositive("linger", linger);
    }

    /** The defaults, to be changed. */
    public static Builder builder() {
        return new Builder(DEFAULT);
    }

    /** These values, to be changed. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Collects values under the names of the settings. Not thread-safe. */
    public static final class Builder {
        private int eventLoops;
        private int backlog;
        private int writeLow;
        private int writeHigh;
        private Duration maxStall;
        private Duration linger;

        private Builder(NetworkConfig from) {
            eventLoops = from.eventLoops;
            backlog = from.backlog;
            writeLow = from.writeLowBytes;
            writeHigh = from.writeHighBytes;
            maxStall = from.maxStall;
            linger = from.linger;
        }

        /** The number of event loops, threads that serve sockets; 0 for one a core. */
        public Builder eventLoops(int value) {
            eventLoops = value;
            return this;
        }

        /** How many connections the system keeps that are not accepted yet. */
        public Builder backlog(int value) {
            backlog = value;
            return this;
        }

        /** Messages are written again when fewer bytes than this wait in a socket's buffer. */
        public Builder writeLow(int value) {
            writeLow = value;
            return this;
        }

        /** No message is written while more bytes than this wait in a socket's buffer. */
        public Builder writeHigh(int value) {
            writeHigh = value;
            return this;
        }

        /** How long a client may read nothing while messages wait for it; zero for ever. */
        public Builder maxStall(Duration value) {
            maxStall = value;
            return this;
        }

        /** How long a connection that is being closed is given to take its last packet. */
        public Builder linger(Duration value) {
            linger = value;
            return this;
        }

        /**
         * The whole.
         *
         * @throws InvalidSettingException when a value is not allowed, with the name of its setting
         */
        public NetworkConfig build() {
            return new NetworkConfig(eventLoops, backlog, writeLow, writeHigh, maxStall, linger);
        }
    }
}
