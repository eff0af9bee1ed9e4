/** The time that messages and sessions live by. */
@NullMarked
package io.tributary.common.time;

import org.jspecify.annotations.NullMarked;
