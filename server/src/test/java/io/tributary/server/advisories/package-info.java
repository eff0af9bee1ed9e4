/** Tests of the comparison with known vulnerabilities. */
@NullMarked
package io.tributary.server.advisories;

import org.jspecify.annotations.NullMarked;
