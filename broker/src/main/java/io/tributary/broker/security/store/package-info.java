/**
 * What is kept of users, device tokens, rule sets, bans and tenants: in replicated maps, of which every node has a
 * whole copy, and which one node writes.
 */
@NullMarked
package io.tributary.broker.security.store;

import org.jspecify.annotations.NullMarked;
