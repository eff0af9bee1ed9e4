package io.tributary.editloop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * An entry of a module's class path, as {@code mvn dependency:list} has it.
 *
 * @param module the name of one of our modules; empty for a library
 * @param tests whether it is the tests of our module
 * @param scope compile, provided, runtime or test
 * @param file of a library
 */
record Dependency(String module, boolean tests, String scope, Path file) {
    private static final String OURS = "io.tributary";
    private static final String PREFIX = "tributary-";
    private static final Set<String> FOR_MAIN = Set.of("compile", "provided", "system");

    /** Reads a listing; entries keep their order, which is that of the class path. */
    static List<Dependency> read(Path listing) throws IOException {
        if (!Files.exists(listing)) {
            throw new LoopException(listing + " is missing; ./tributary writes it");
        }
        List<Dependency> all = new ArrayList<>();
        for (String line : Files.readAllLines(listing)) {
            String entry = line.strip();
            if (entry.contains(":") && !entry.endsWith(":")) {
                all.add(parse(entry));
            }
        }
        return all;
    }

    /** {@code group:artifact:type[:classifier]:version:scope:file}, and what Maven knows besides. */
    private static Dependency parse(String entry) {
        String[] parts = entry.split(" -- module | \\(optional\\)", -1)[0].split(":", -1);
        if (parts.length < 6) {
            throw new LoopException("not an entry of mvn dependency:list: " + entry);
        }
        boolean ours = parts[0].equals(OURS) && parts[1].startsWith(PREFIX);
        return new Dependency(
                ours ? parts[1].substring(PREFIX.length()) : "",
                parts[2].equals("test-jar"),
                parts[parts.length - 2],
                Path.of(parts[parts.length - 1].strip()));
    }

    boolean isOurs() {
        return !module.isEmpty();
    }

    /** Whether main classes may use it; tests may use all. */
    boolean isForMain() {
        return FOR_MAIN.contains(scope);
    }
}
