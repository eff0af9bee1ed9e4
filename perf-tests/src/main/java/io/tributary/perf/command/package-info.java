/** The command {@code ./tributary perf}. */
@NullMarked
package io.tributary.perf.command;

import org.jspecify.annotations.NullMarked;
