/** A service that is asked over HTTP who a client is. */
@NullMarked
package io.tributary.security.http;

import org.jspecify.annotations.NullMarked;
