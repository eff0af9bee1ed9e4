/**
 * The loop of edit and test: compiles what a change concerns with the JDK's compiler, and runs the tests that are
 * named.
 *
 * <p>{@code ./tributary test NAME} and {@code ./tributary check} run {@link io.tributary.editloop.EditLoop}, which the
 * launcher compiles by itself; so main classes here know the JDK and nothing else. Maven is asked for class paths
 * alone. Its own output in {@code target/classes} is read, never written: what Maven has compiled it has also checked.
 *
 * <p>Decided in docs/decisions/0016-edit-test-loop.md.
 */
@NullMarked
package io.tributary.editloop;

import org.jspecify.annotations.NullMarked;
