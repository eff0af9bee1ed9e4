/**
 * What is counted and measured: the list of meters, and recorders that feed them. The only package of this
 * module that knows Micrometer.
 */
@NullMarked
package io.tributary.broker.metrics;

import org.jspecify.annotations.NullMarked;
