package io.tributary.broker;

import static io.tributary.common.setting.InvalidSettingException.checkAtLeast;

import io.tributary.broker.security.ClientRules;
import io.tributary.broker.shard.CatchUpPace;
import io.tributary.common.setting.InvalidSettingException;

/**
 * Application clients: few, each reading much.
 *
 * @param rules which clients are applications
 * @param catchUp how fast applications are sent what they missed
 * @param maxDeliveries how often a message is sent to members of applications' shared subscriptions that leave it
 *     unacknowledged before it is published as a dead letter; 0 for as often as it takes
 */
public record ApplicationsConfig(ClientRules rules, CatchUpPace catchUp, int maxDeliveries) {

    /** All clients are devices. */
    public static final ApplicationsConfig DEFAULT = new ApplicationsConfig(ClientRules.NONE, CatchUpPace.NONE, 0);

    public ApplicationsConfig {
        checkAtLeast("max-deliveries", maxDeliveries, 0);
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
        private ClientRules rules;
        private int catchUpMessages;
        private long catchUpSize;
        private int maxDeliveries;

        private Builder(ApplicationsConfig from) {
            rules = from.rules;
            catchUpMessages = from.catchUp.messagesPerSecond();
            catchUpSize = from.catchUp.bytesPerSecond();
            maxDeliveries = from.maxDeliveries;
        }

        /** Which clients are applications; the conditions of a rule are in {@link ClientRules}. */
        public Builder rules(ClientRules value) {
            rules = value;
            return this;
        }

        /** How many messages a second an application is sent of what it missed; 0 for no limit. */
        public Builder catchUpMessages(int value) {
            catchUpMessages = value;
            return this;
        }

        /** How many bytes a second an application is sent of what it missed; 0 for no limit. */
        public Builder catchUpSize(long value) {
            catchUpSize = value;
            return this;
        }

        /**
         * How often a message of a shared subscription of applications is sent before it is a dead letter; 0 for as
         * often as it takes.
         */
        public Builder maxDeliveries(int value) {
            maxDeliveries = value;
            return this;
        }

        /**
         * The whole.
         *
         * @throws InvalidSettingException when a value is not allowed, with the name of its setting
         */
        public ApplicationsConfig build() {
            return new ApplicationsConfig(rules, new CatchUpPace(catchUpMessages, catchUpSize), maxDeliveries);
        }
    }
}
