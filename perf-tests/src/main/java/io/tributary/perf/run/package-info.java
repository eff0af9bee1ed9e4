/** Runs: the steps of a scenario, what is measured meanwhile, and processes that share its clients. */
@NullMarked
package io.tributary.perf.run;

import org.jspecify.annotations.NullMarked;
