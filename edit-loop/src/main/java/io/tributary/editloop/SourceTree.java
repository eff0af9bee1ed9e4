package io.tributary.editloop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The main or the test sources of a module, and where what becomes of them is.
 *
 * @param kind {@code main} or {@code test}
 */
record SourceTree(Module module, String kind) {
    private static final String JAVA = ".java";

    boolean isTests() {
        return kind.equals("test");
    }

    /** Whether a class may depend on others of the tree without naming them; so the tree is compiled whole. */
    boolean hasAnnotationProcessors() {
        return !isTests() && module.pom().hasAnnotationProcessors();
    }

    /** Such as {@code broker/test}. */
    String name() {
        return module.name() + "/" + kind;
    }

    Path sources() {
        return module.directory().resolve("src").resolve(kind).resolve("java");
    }

    /** The loop's own class files, beside Maven's. */
    Path classes() {
        return target(isTests() ? "loop-test-classes" : "loop-classes");
    }

    /** Maven's class files: never written, and checked whenever they were. */
    Path mavensClasses() {
        return target(isTests() ? "test-classes" : "classes");
    }

    /** Read where they are; first those that the build fills in. */
    List<Path> resources() {
        return List.of(
                filteredResources(),
                module.directory().resolve("src").resolve(kind).resolve("resources"));
    }

    Path filteredResources() {
        return target("loop-resources-" + kind);
    }

    Path state() {
        return target("loop-" + kind + ".state");
    }

    /** Something below {@code target}. */
    Path target(String name) {
        return module.directory().resolve("target").resolve(name);
    }

    /** All sources, from the root of the tree, with what tells whether one changed. */
    Map<String, Stamp> stamps() throws IOException {
        Map<String, Stamp> stamps = new TreeMap<>();
        if (Files.isDirectory(sources())) {
            try (Stream<Path> files = Files.walk(sources())) {
                for (Path file :
                        files.filter(file -> file.toString().endsWith(JAVA)).toList()) {
                    String name = sources().relativize(file).toString().replace('\\', '/');
                    stamps.put(name, Stamp.of(file));
                }
            }
        }
        return stamps;
    }
}
