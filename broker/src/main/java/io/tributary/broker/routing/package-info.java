/** The way of a message from its publisher to its destinations. */
@NullMarked
package io.tributary.broker.routing;

import org.jspecify.annotations.NullMarked;
