/** Shared subscriptions of applications: the session that the members of one have together, and its host. */
@NullMarked
package io.tributary.broker.group;

import org.jspecify.annotations.NullMarked;
