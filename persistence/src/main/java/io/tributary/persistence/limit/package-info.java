/** Limits of bytes, of the adapters and of the broker. */
@NullMarked
package io.tributary.persistence.limit;

import org.jspecify.annotations.NullMarked;
