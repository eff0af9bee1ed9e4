/** What the nodes of a cluster tell each other over their direct connections, and its encoding. */
@NullMarked
package io.tributary.broker.cluster;

import org.jspecify.annotations.NullMarked;
