/** Scenarios: what is read from YAML, the library of built-in ones, and the plan of clients that follows from one. */
@NullMarked
package io.tributary.perf.scenario;

import org.jspecify.annotations.NullMarked;
