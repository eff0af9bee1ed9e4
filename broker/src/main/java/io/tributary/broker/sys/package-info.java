/** The {@code $SYS} topics, on which the broker tells about itself. */
@NullMarked
package io.tributary.broker.sys;

import org.jspecify.annotations.NullMarked;
