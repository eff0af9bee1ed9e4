/** Collections for what the queues of sessions need, and the JDK has not. */
@NullMarked
package io.tributary.common.collection;

import org.jspecify.annotations.NullMarked;
