package io.tributary.broker.sys;

/**
 * What a node says to the others of its operation.
 *
 * @param draining whether it is drained, and soon gone
 * @param order the number of the newest order to rebalance connections that it knows, 0 for none
 * @param rate how many clients a node sends away a second by the order, 0 for an order that ends it
 * @param tolerance how many percent more clients than the mean a node may have by the order
 * @param seconds how long the order holds
 */
public record Announced(boolean draining, long order, int rate, int tolerance, int seconds) {
    /** Nothing. */
    public static final Announced NOTHING = new Announced(false, 0, 0, 0, 0);
}
