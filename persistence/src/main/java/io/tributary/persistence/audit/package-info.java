/** The log of what administrators change. */
@NullMarked
package io.tributary.persistence.audit;

import org.jspecify.annotations.NullMarked;
