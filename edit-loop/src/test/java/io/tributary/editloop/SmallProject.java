package io.tributary.editloop;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Map;
import java.util.Set;

/** Two modules: {@code lower}, and {@code upper}, which uses it. Sources are in the package {@code p}. */
final class SmallProject {
    private static final String ROOT_POM = """
            <project><version>1</version>
              <modules><module>lower</module><module>upper</module></modules>
              <properties><maven.compiler.release>25</maven.compiler.release></properties>
            </project>
            """;
    private static final String DEPENDENCY = "   io.tributary:tributary-lower:jar:1:compile:/nowhere\n";

    private final Path root;
    /** What makes each edit one, however soon it follows the one before. */
    private Instant lastEdit = Instant.parse("2001-01-01T00:00:00Z");

    SmallProject(Path root) throws IOException {
        this.root = root;
        write("pom.xml", ROOT_POM);
        write("lower/pom.xml", "<project/>");
        write("upper/pom.xml", "<project/>");
        write("lower/target/dependencies.txt", "The following files have been resolved:\n");
        write("upper/target/dependencies.txt", DEPENDENCY);
    }

    /** Writes {@code p/NAME.java} of a module's main classes. */
    void edit(String module, String name, String text) throws IOException {
        write(module + "/src/main/java/p/" + name + ".java", "package p; " + text);
    }

    void delete(String module, String name) throws IOException {
        Files.delete(root.resolve(module + "/src/main/java/p/" + name + ".java"));
    }

    private void write(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
        lastEdit = lastEdit.plusSeconds(1);
        Files.setLastModifiedTime(path, FileTime.from(lastEdit));
    }

    /**
     * Compiles what changed of both modules, and says which sources of a module have been compiled since the last time.
     */
    Set<String> update(String module) throws IOException {
        Workspace workspace = workspace();
        Trees trees = new Trees(workspace);
        trees.update(workspace.module("upper").tests());
        Set<String> compiled = Set.copyOf(trees.state(workspace.module(module).main()).unchecked);
        for (Module each : workspace.modules()) {
            TreeState state = trees.state(each.main());
            state.unchecked.clear();
            state.write(each.main().state());
        }
        return compiled;
    }

    Workspace workspace() throws IOException {
        return Workspace.open(root, Map.of());
    }

    /** What {@code p.NAME.get()} of the upper module returns now. */
    Object get(String name) throws IOException, ReflectiveOperationException {
        URL[] path = {
            root.resolve("upper/target/loop-classes/").toUri().toURL(),
            root.resolve("lower/target/loop-classes/").toUri().toURL()
        };
        try (URLClassLoader loader = new URLClassLoader(path)) {
            return loader.loadClass("p." + name).getMethod("get").invoke(null);
        }
    }
}
