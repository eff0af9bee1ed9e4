/** The published experiments that the load tool repeats: their figures, and which of ours stands beside each. */
@NullMarked
package io.tributary.perf.paper;

import org.jspecify.annotations.NullMarked;
