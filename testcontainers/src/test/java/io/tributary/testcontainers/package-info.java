/** The container, with a Docker engine and without. */
@NullMarked
package io.tributary.testcontainers;

import org.jspecify.annotations.NullMarked;
