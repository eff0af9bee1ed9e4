/** The canary of a node: messages that it sends itself and other nodes, and gets back while the broker works. */
@NullMarked
package io.tributary.broker.canary;

import org.jspecify.annotations.NullMarked;
