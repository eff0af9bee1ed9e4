/** What all microbenchmarks have in common; they themselves are in the packages of what they measure. */
@NullMarked
package io.tributary.perf.jmh;

import org.jspecify.annotations.NullMarked;
