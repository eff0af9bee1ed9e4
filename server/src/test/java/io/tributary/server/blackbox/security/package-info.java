/** Who may connect, from outside. */
@NullMarked
package io.tributary.server.blackbox.security;

import org.jspecify.annotations.NullMarked;
