package io.tributary.broker.subscription;

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
}
