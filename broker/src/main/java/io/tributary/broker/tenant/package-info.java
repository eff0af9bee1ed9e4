/**
 * What tenants may use and what they use: their limits, counts of this node, and what other nodes say of theirs. Knows
 * no connection, session or message; these ask.
 */
@NullMarked
package io.tributary.broker.tenant;

import org.jspecify.annotations.NullMarked;
