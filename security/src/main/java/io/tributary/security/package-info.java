/** Authenticators that need libraries: what all of them have in common. */
@NullMarked
package io.tributary.security;

import org.jspecify.annotations.NullMarked;
