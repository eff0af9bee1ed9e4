package io.tributary.broker.routing;

/**
 * Told once the outcome of a message, on any thread, perhaps before the call that routes it returns; must not block.
 */
@FunctionalInterface
public interface RouteCallback {
    /** The message is done with. */
    void onRouted(RouteOutcome outcome);
}
