package io.tributary.broker.subscription;

import io.tributary.common.setting.InvalidSettingException;

/**
 * How shared subscriptions choose among their members.
 *
 * @param strategy which member gets a message
 * @param localFirst whether members that are connected to the node that received the message go before those on other
 *     nodes; the strategy then chooses among the former as long as there are any
 */
public record SharedChoice(SharedStrategy strategy, boolean localFirst) {

    /** One after the other, wherever they are connected. */
    public static final SharedChoice DEFAULT = new SharedChoice(SharedStrategy.ROUND_ROBIN, false);

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
        private SharedStrategy strategy;
        private boolean localFirst;

        private Builder(SharedChoice from) {
            strategy = from.strategy;
            localFirst = from.localFirst;
        }

        /** Which member gets a message. */
        public Builder strategy(SharedStrategy value) {
            strategy = value;
            return this;
        }

        /** Whether members that are connected to the publisher's node go before others. */
        public Builder localFirst(boolean value) {
            localFirst = value;
            return this;
        }

        /**
         * The whole.
         *
         * @throws InvalidSettingException when a value is not allowed, with the name of its setting
         */
        public SharedChoice build() {
            return new SharedChoice(strategy, localFirst);
        }
    }
}
