/** What a run gave, as it is written to JSON. */
@NullMarked
package io.tributary.perf.result;

import org.jspecify.annotations.NullMarked;
