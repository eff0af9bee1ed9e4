/** The identity in a client's TLS certificate. */
@NullMarked
package io.tributary.security.x509;

import org.jspecify.annotations.NullMarked;
