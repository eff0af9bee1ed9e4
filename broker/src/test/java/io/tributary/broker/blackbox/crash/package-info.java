/** Publishers and subscribers whose broker is killed again and again, and the judge of what they saw. */
@NullMarked
package io.tributary.broker.blackbox.crash;

import org.jspecify.annotations.NullMarked;
