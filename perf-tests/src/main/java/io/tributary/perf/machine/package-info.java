/** What processes take of their machine, and what kind of machine it is. */
@NullMarked
package io.tributary.perf.machine;

import org.jspecify.annotations.NullMarked;
