/**
 * What keeps a node usable while somebody abuses it: connect rates, bans that it decides on by itself, and what it
 * remembers of the clients that it refused. All of it is this node's own, in memory, and bounded.
 */
@NullMarked
package io.tributary.broker.guard;

import org.jspecify.annotations.NullMarked;
