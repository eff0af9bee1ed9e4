/** How messages and answers reach a session from below: the ports that the sessions implement, and what goes through. */
@NullMarked
package io.tributary.broker.delivery;

import org.jspecify.annotations.NullMarked;
