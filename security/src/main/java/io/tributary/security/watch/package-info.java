/** Files that are read again when they change. */
@NullMarked
package io.tributary.security.watch;

import org.jspecify.annotations.NullMarked;
