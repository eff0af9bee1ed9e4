package io.tributary.broker.routing;

import io.tributary.common.mqtt.ReasonCode;

/** The outcome of a message that was published; the publisher's acknowledgement follows from it. */
public sealed interface RouteOutcome {

    /** The message is safe for everyone it matched. */
    record Safe() implements RouteOutcome {}

    /** The message is accepted, and no session subscribes to its topic. */
    record NoSubscribers() implements RouteOutcome {}

    /**
     * The message was refused and went nowhere.
     *
     * @param reason an error code that PUBACK and PUBREC may carry
     * @param message words for the developer of the client
     */
    record Refused(ReasonCode reason, String message) implements RouteOutcome {}

    /**
     * The node cannot tell: it does not know what other nodes know, a log or store failed, or it is closing. No
     * acknowledgement goes out.
     */
    record Lost() implements RouteOutcome {}
}
