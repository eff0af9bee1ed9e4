package io.tributary.cli;

import picocli.CommandLine;

/**
 * A command of {@code tributary}, such as {@code run}: an object that picocli knows. Named in
 * {@code META-INF/services}, so that help and completion know it without its libraries.
 */
public interface Subcommand {
    /** Its name, options and help; read from its annotations, unless it describes them itself. */
    default CommandLine commandLine() {
        return new CommandLine(this);
    }

    /** Whether this failure is told in its message alone; any other is a defect, and is told with its stack trace. */
    default boolean explains(Exception failure) {
        return false;
    }

    /** Whether this failure says, as a {@link UsageException} always does, that the command was called wrongly. */
    default boolean isWrongUse(Exception failure) {
        return false;
    }
}
