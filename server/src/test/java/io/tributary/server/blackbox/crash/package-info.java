/** What the broker keeps when it is killed again and again. */
@NullMarked
package io.tributary.server.blackbox.crash;

import org.jspecify.annotations.NullMarked;
