/** Limits that the adapters share. */
@NullMarked
package io.tributary.persistence.limit;

import org.jspecify.annotations.NullMarked;
