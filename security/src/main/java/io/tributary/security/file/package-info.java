/** Users in a file, of YAML or as Mosquitto writes it. */
@NullMarked
package io.tributary.security.file;

import org.jspecify.annotations.NullMarked;
