/**
 * The broker in a container, for the tests of a program that uses it: {@link
 * io.tributary.testcontainers.TributaryContainer}. Needs Testcontainers, and nothing of the broker but its image.
 */
@NullMarked
package io.tributary.testcontainers;

import org.jspecify.annotations.NullMarked;
