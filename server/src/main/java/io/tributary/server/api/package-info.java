/** The HTTP API for administrators. */
@NullMarked
package io.tributary.server.api;

import org.jspecify.annotations.NullMarked;
