package io.tributary.broker.connection;

import static io.tributary.common.setting.InvalidSettingException.checkAtLeast;
import static io.tributary.common.setting.InvalidSettingException.checkWithin;

import io.tributary.common.setting.InvalidSettingException;

/**
 * Limits of what one client publishes.
 *
 * @param receiveMaximum how many QoS 1 and 2 messages an MQTT 5 client may have open at once
 * @param topicAliasMaximum the highest topic alias that an MQTT 5 client may use; 0 for none
 * @param maxUnacknowledged how many publishes may wait for their acknowledgement before an MQTT 3 client, which knows
 *     no receive maximum, is not read any more
 * @param maxUnreleased how many QoS 2 messages an MQTT 3 client may leave without PUBREL
 * @param checkPayloadFormat whether payloads that say so are checked to be UTF-8
 * @param rate how many messages a second it may publish
 */
public record InboundLimits(
        int receiveMaximum,
        int topicAliasMaximum,
        int maxUnacknowledged,
        int maxUnreleased,
        boolean checkPayloadFormat,
        MessageRate rate) {

    /** Limits that suit most brokers. */
    public static final InboundLimits DEFAULT =
            new InboundLimits(1_000, 32, 1_000, 10_000, false, MessageRate.UNLIMITED);

    /** Checks the ranges. */
    public InboundLimits {
        checkWithin("receive-maximum", receiveMaximum, 1, 65_535);
        checkWithin("topic-alias-maximum", topicAliasMaximum, 0, 65_535);
        checkAtLeast("max-unacknowledged", maxUnacknowledged, 1);
        checkWithin("max-unreleased", maxUnreleased, 1, 65_535);
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
        private int receiveMaximum;
        private int topicAliasMaximum;
        private int maxUnacknowledged;
        private int maxUnreleased;
        private boolean checkPayloadFormat;
        private int rate;
        private int burst;
        private MessageRate.Policy ratePolicy;

        private Builder(InboundLimits from) {
            receiveMaximum = from.receiveMaximum;
            topicAliasMaximum = from.topicAliasMaximum;
            maxUnacknowledged = from.maxUnacknowledged;
            maxUnreleased = from.maxUnreleased;
            checkPayloadFormat = from.checkPayloadFormat;
            rate = from.rate.perSecond();
            burst = from.rate.burst();
            ratePolicy = from.rate.policy();
        }

        /** How many QoS 1 and 2 messages an MQTT 5 client may have open at once, 1 to 65,535. */
        public Builder receiveMaximum(int value) {
            receiveMaximum = value;
            return this;
        }

        /** The highest topic alias that an MQTT 5 client may use; 0 for none. */
        public Builder topicAliasMaximum(int value) {
            topicAliasMaximum = value;
            return this;
        }

        /** How many messages may wait for their acknowledgement before an MQTT 3 client is not read any more. */
        public Builder maxUnacknowledged(int value) {
            maxUnacknowledged = value;
            return this;
        }

        /** How many QoS 2 messages an MQTT 3 client may leave without PUBREL. */
        public Builder maxUnreleased(int value) {
            maxUnreleased = value;
            return this;
        }

        /** Whether payloads that say they are UTF-8 are checked. */
        public Builder checkPayloadFormat(boolean value) {
            checkPayloadFormat = value;
            return this;
        }

        /** How many messages a second a client may publish in the long run; 0 for no limit. */
        public Builder rate(int value) {
            rate = value;
            return this;
        }

        /** How many messages may come at once when there is a rate; 0 for as many as the rate allows in a second. */
        public Builder burst(int value) {
            burst = value;
            return this;
        }

        /** What happens to a client that publishes faster. */
        public Builder ratePolicy(MessageRate.Policy value) {
            ratePolicy = value;
            return this;
        }

        /**
         * The whole.
         *
         * @throws InvalidSettingException when a value is not allowed, with the name of its setting
         */
        public InboundLimits build() {
            return new InboundLimits(
                    receiveMaximum,
                    topicAliasMaximum,
                    maxUnacknowledged,
                    maxUnreleased,
                    checkPayloadFormat,
                    new MessageRate(rate, burst == 0 ? rate : burst, ratePolicy));
        }
    }
}
