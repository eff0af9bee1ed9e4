package io.tributary.editloop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The modules of a repository, each with its two trees of sources. */
final class Workspace {
    private final Path directory;
    private final Pom root;
    private final Map<String, String> given;
    private final Map<String, Module> modules = new LinkedHashMap<>();

    /** Properties of the command line win over those of poms. */
    private Workspace(Path directory, Pom root, Map<String, String> given) {
        this.directory = directory;
        this.root = root;
        this.given = Map.copyOf(given);
    }

    static Workspace open(Path root, Map<String, String> given) throws IOException {
        Workspace workspace = new Workspace(root, Pom.read(root.resolve("pom.xml")), given);
        for (String name : workspace.root.modules()) {
            Path directory = root.resolve(name);
            List<Dependency> dependencies = Dependency.read(directory.resolve("target/dependencies.txt"));
            workspace.modules.put(
                    name, new Module(name, directory, Pom.read(directory.resolve("pom.xml")), dependencies));
        }
        return workspace;
    }

    /** In the order in which they are built. */
    List<Module> modules() {
        return List.copyOf(modules.values());
    }

    Module module(String name) {
        return Optional.ofNullable(modules.get(name))
                .orElseThrow(() -> new LoopException("there is no module " + name + " in pom.xml"));
    }

    /** The directory that the modules are in. */
    Path directory() {
        return directory;
    }

    Pom root() {
        return root;
    }

    /** A text of the poms, with values for what it refers to: of the command line, of this module, of the root. */
    String resolve(Module module, String text) {
        return Pom.resolve(text, name -> valueOf(module, name));
    }

    private Optional<String> valueOf(Module module, String name) {
        return switch (name) {
            case "project.version" -> Optional.of(root.version());
            case "maven.multiModuleProjectDirectory" ->
                Optional.of(directory.toAbsolutePath().toString());
            case "surefire.forkNumber" -> Optional.of("1");
            default ->
                Optional.ofNullable(given.get(name))
                        .or(() -> module.pom().property(name))
                        .or(() -> root.property(name));
        };
    }

    /** Error Prone with NullAway, and annotation processors: all that the compiler loads in any module. */
    String processors() throws IOException {
        return Javac.joined(Dependency.read(directory.resolve("edit-loop/target/processors.txt")).stream()
                .map(Dependency::file)
                .toList());
    }

    /** A tree, and before it all those that it is compiled against, each after those that it needs. */
    List<SourceTree> withUpstream(SourceTree tree) {
        List<SourceTree> all = new ArrayList<>(upstream(tree));
        all.add(tree);
        return all;
    }

    /** What a tree is compiled against, in the order in which it is built. */
    List<SourceTree> upstream(SourceTree tree) {
        List<SourceTree> found = new ArrayList<>();
        for (Module module : modules()) {
            for (SourceTree candidate : module.trees()) {
                if (isUpstream(candidate, tree)) {
                    found.add(candidate);
                }
            }
        }
        return found;
    }

    private static boolean isUpstream(SourceTree candidate, SourceTree tree) {
        Module module = tree.module();
        if (candidate.module().equals(module)) {
            return tree.isTests() && !candidate.isTests();
        }
        return module.dependencies().stream()
                .filter(dependency -> tree.isTests() || dependency.isForMain())
                .anyMatch(dependency ->
                        dependency.module().equals(candidate.module().name())
                                && dependency.tests() == candidate.isTests());
    }

    /** Directories and jars that a tree's classes are compiled against; for tests it is also what they run with. */
    List<Path> classPath(SourceTree tree) {
        List<Path> path = new ArrayList<>();
        if (tree.isTests()) {
            addOurs(path, tree.module().main());
        }
        for (Dependency dependency : tree.module().dependencies()) {
            if (dependency.isForMain() || tree.isTests()) {
                if (dependency.isOurs()) {
                    Module other = module(dependency.module());
                    addOurs(path, dependency.tests() ? other.tests() : other.main());
                } else {
                    path.add(dependency.file());
                }
            }
        }
        return path;
    }

    private static void addOurs(List<Path> path, SourceTree tree) {
        path.add(tree.classes());
        tree.resources().stream().filter(Files::isDirectory).forEach(path::add);
    }
}
