/** The commands {@code tributary perf} and {@code tributary bench}. */
@NullMarked
package io.tributary.perf.command;

import org.jspecify.annotations.NullMarked;
