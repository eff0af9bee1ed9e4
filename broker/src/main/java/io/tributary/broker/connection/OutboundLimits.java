package io.tributary.broker.connection;

import static io.tributary.common.setting.InvalidSettingException.checkAtLeast;
import static io.tributary.common.setting.InvalidSettingException.checkWithin;

import io.tributary.common.setting.InvalidSettingException;

/**
 * Limits of what is on its way to one client.
 *
 * @param maxInFlight how many QoS 1 and 2 messages are sent ahead of their acknowledgements, at most; the client's
 *     receive maximum counts where it is lower
 * @param topicAliasMaximum how many topic aliases are used towards a client that allows so many
 * @param queueMessages how many messages of QoS 0, and how many others of a transient session, wait at most
 * @param queueBytes how many bytes the waiting messages of each of these two kinds have at most
 * @param overflow which message is dropped beyond that
 */
public record OutboundLimits(
        int maxInFlight, int topicAliasMaximum, int queueMessages, long queueBytes, Overflow overflow) {

    /** What a full queue drops: always one of the lowest priority among those that wait and the one that comes. */
    public enum Overflow {
        /** The message that waits longest. */
        DROP_OLDEST,
        /** The message that comes, or the one that came last of those of a lower priority. */
        DROP_NEWEST,
        /**
         * The message that comes, too; but before the queue is full, publishers, at any node, that publish for its
         * client are read later.
         */
        HOLD_PUBLISHERS
    }

    /** Limits that suit most brokers. */
    public static final OutboundLimits DEFAULT =
            new OutboundLimits(1_000, 32, 10_000, 4L * 1024 * 1024, Overflow.DROP_NEWEST);

    /** Checks the ranges. */
    public OutboundLimits {
        checkWithin("max-in-flight", maxInFlight, 1, 65_535);
        checkWithin("topic-alias-maximum", topicAliasMaximum, 0, 65_535);
        checkAtLeast("queue-messages", queueMessages, 1);
        checkAtLeast("queue-size", queueBytes, 1);
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
        private int maxInFlight;
        private int topicAliasMaximum;
        private int queueMessages;
        private long queueSize;
        private Overflow queueOverflow;

        private Builder(OutboundLimits from) {
            maxInFlight = from.maxInFlight;
            topicAliasMaximum = from.topicAliasMaximum;
            queueMessages = from.queueMessages;
            queueSize = from.queueBytes;
            queueOverflow = from.overflow;
        }

        /** How many QoS 1 and 2 messages are sent ahead of their acknowledgements, 1 to 65,535. */
        public Builder maxInFlight(int value) {
            maxInFlight = value;
            return this;
        }

        /** How many topic aliases are used towards an MQTT 5 client that allows so many. */
        public Builder topicAliasMaximum(int value) {
            topicAliasMaximum = value;
            return this;
        }

        /** How many messages wait in memory for a client that cannot keep up. */
        public Builder queueMessages(int value) {
            queueMessages = value;
            return this;
        }

        /** How large these may be together, in bytes. */
        public Builder queueSize(long value) {
            queueSize = value;
            return this;
        }

        /** What a full queue drops. */
        public Builder queueOverflow(Overflow value) {
            queueOverflow = value;
            return this;
        }

        /**
         * The whole.
         *
         * @throws InvalidSettingException when a value is not allowed, with the name of its setting
         */
        public OutboundLimits build() {
            return new OutboundLimits(maxInFlight, topicAliasMaximum, queueMessages, queueSize, queueOverflow);
        }
    }
}
