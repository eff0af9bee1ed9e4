/** HTTP with limits: of time, of size, and of whom to trust. */
@NullMarked
package io.tributary.security.web;

import org.jspecify.annotations.NullMarked;
