/** Load on a broker, as clients bring it, and a judgement of what came out. */
@NullMarked
package io.tributary.perf.load;

import org.jspecify.annotations.NullMarked;
