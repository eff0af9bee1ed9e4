/** Who a client is and what it may do: the interfaces that an embedding platform implements, and their answers. */
@NullMarked
package io.tributary.broker.security;

import org.jspecify.annotations.NullMarked;
