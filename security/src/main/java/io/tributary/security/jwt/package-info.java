/** JSON Web Tokens, checked with keys of a file or of a key set (JWKS) on the web. */
@NullMarked
package io.tributary.security.jwt;

import org.jspecify.annotations.NullMarked;
