/** The broker as a whole: its configuration, what a platform may hang into it, and the order of start and stop. */
@NullMarked
package io.tributary.broker;

import org.jspecify.annotations.NullMarked;
