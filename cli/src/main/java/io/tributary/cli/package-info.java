/**
 * The command line {@code tributary}. Each command is a {@link io.tributary.cli.Subcommand} of the module that does its
 * work, with a class path and a JVM of its own; the launcher {@code bin/tributary} chooses both by the first word.
 */
@NullMarked
package io.tributary.cli;

import org.jspecify.annotations.NullMarked;
