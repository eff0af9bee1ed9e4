/** Stored passwords: their hashes, the threads that compute them, and what is remembered of right ones. */
@NullMarked
package io.tributary.security.password;

import org.jspecify.annotations.NullMarked;
