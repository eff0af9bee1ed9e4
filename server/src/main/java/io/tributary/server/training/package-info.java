/** What keeps a broker busy while its JVM records for {@code tributary train} which methods are. Nothing imports it. */
@NullMarked
package io.tributary.server.training;

import org.jspecify.annotations.NullMarked;
