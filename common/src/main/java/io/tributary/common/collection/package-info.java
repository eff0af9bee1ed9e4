/** Collections for what sessions and their queues need, and the JDK has not: small, and without an object an entry. */
@NullMarked
package io.tributary.common.collection;

import org.jspecify.annotations.NullMarked;
