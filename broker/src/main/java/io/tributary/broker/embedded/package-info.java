/** Subscriptions of the application that embeds the broker. */
@NullMarked
package io.tributary.broker.embedded;

import org.jspecify.annotations.NullMarked;
