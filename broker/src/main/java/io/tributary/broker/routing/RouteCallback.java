package io.tributary.broker.routing;

/**
 * Told once what became of a message, on any thread, perhaps before the call that routes it returns; must not block.
 */
@FunctionalInterface
public interface RouteCallback {
    /** The message is done with. */
    void onRouted(RouteOutcome outcome);
}
