/** Tests of the loop of edit and test, on small projects of their own. */
@NullMarked
package io.tributary.editloop;

import org.jspecify.annotations.NullMarked;
