/** Records which classes of the broker something crosses on its way, and on which thread. */
@NullMarked
package io.tributary.server.blackbox.walk;

import org.jspecify.annotations.NullMarked;
