/** Maps that every node has a whole copy of. */
@NullMarked
package io.tributary.persistence.replicated;

import org.jspecify.annotations.NullMarked;
