/** Compares the libraries of this program with a database of known vulnerabilities. */
@NullMarked
package io.tributary.server.advisories;

import org.jspecify.annotations.NullMarked;
