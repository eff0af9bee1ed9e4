/**
 * Tools of event loops: the way of other threads into one, connections that wait, rates, and what one turn encodes
 * once.
 */
@NullMarked
package io.tributary.broker.loop;

import org.jspecify.annotations.NullMarked;
