/** The judge: what every message carries, and the exact count of what was lost, came twice or out of order. */
@NullMarked
package io.tributary.perf.judge;

import org.jspecify.annotations.NullMarked;
