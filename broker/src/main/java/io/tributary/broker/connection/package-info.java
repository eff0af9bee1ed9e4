/** What a client's connection means to the broker: CONNECT, the QoS flows in both directions, subscriptions, limits. */
@NullMarked
package io.tributary.broker.connection;

import org.jspecify.annotations.NullMarked;
