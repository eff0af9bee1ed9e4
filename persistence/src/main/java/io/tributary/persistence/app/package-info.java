/** The topics of application clients: ordered logs that are read by position. */
@NullMarked
package io.tributary.persistence.app;

import org.jspecify.annotations.NullMarked;
