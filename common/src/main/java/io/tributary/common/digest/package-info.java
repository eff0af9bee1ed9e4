/** Digests of bytes. */
@NullMarked
package io.tributary.common.digest;

import org.jspecify.annotations.NullMarked;
