/** Threads with a bounded queue. */
@NullMarked
package io.tributary.security.work;

import org.jspecify.annotations.NullMarked;
