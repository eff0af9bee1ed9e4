/** How messages and answers reach connections of this node and of others: the ports, and what goes through. */
@NullMarked
package io.tributary.broker.delivery;

import org.jspecify.annotations.NullMarked;
