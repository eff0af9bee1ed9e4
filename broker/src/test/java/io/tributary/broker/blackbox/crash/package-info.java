/** What the broker keeps when it is killed again and again. */
@NullMarked
package io.tributary.broker.blackbox.crash;

import org.jspecify.annotations.NullMarked;
