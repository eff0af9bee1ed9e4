package io.tributary.editloop;

import java.nio.file.Path;
import java.util.List;

/**
 * A module of the build.
 *
 * @param directory from the root of the repository
 * @param dependencies its class path, of tests too
 */
record Module(String name, Path directory, Pom pom, List<Dependency> dependencies) {
    SourceTree main() {
        return new SourceTree(this, "main");
    }

    SourceTree tests() {
        return new SourceTree(this, "test");
    }

    /** In the order in which they are built. */
    List<SourceTree> trees() {
        return List.of(main(), tests());
    }
}
