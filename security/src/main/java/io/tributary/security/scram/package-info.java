/** SCRAM, by which a client proves that it knows a password and learns that the server knows it, too. */
@NullMarked
package io.tributary.security.scram;

import org.jspecify.annotations.NullMarked;
