/** What a client's connection means to the broker: CONNECT, the QoS flows in both directions, subscriptions, limits. */
@NullMarked
package io.tributary.broker.session;

import org.jspecify.annotations.NullMarked;
