/** TLS: what operators say of it, its files, which are read again while the broker runs, and what is made of them. */
@NullMarked
package io.tributary.broker.tls;

import org.jspecify.annotations.NullMarked;
