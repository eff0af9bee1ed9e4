/**
 * What clients may do, as rules say it: rule sets in an order, compiled so that a decision takes neither a lock nor
 * memory.
 */
@NullMarked
package io.tributary.broker.security.rules;

import org.jspecify.annotations.NullMarked;
