/** Users and device tokens that the broker keeps. */
@NullMarked
package io.tributary.security.store;

import org.jspecify.annotations.NullMarked;
