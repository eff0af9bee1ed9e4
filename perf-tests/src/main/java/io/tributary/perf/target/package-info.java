/** What is measured: brokers that the tool starts itself, ours and others', and those at an address. */
@NullMarked
package io.tributary.perf.target;

import org.jspecify.annotations.NullMarked;
