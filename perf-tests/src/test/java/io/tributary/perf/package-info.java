/** What concerns the load tool as a whole. */
@NullMarked
package io.tributary.perf;

import org.jspecify.annotations.NullMarked;
