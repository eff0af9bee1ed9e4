/** Stand-ins for what lies below the broker, for tests of several packages. */
@NullMarked
package io.tributary.broker.fake;

import org.jspecify.annotations.NullMarked;
