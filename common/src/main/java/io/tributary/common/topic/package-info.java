/**
 * Topic names and topic filters: the only place that knows {@code /}, {@code +}, {@code #}, {@code $share},
 * {@code $SYS}.
 */
@NullMarked
package io.tributary.common.topic;

import org.jspecify.annotations.NullMarked;
