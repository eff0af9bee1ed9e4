package io.tributary.editloop;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Brings class files up to date with their sources, tree after tree. */
final class Trees {
    private final Workspace workspace;
    private final Javac javac = new Javac();
    private final MavensBuild mavensBuild;
    private final Map<String, TreeState> states = new HashMap<>();

    Trees(Workspace workspace) {
        this.workspace = workspace;
        mavensBuild = new MavensBuild(workspace);
    }

    /** A tree, after all that it is compiled against. What is wrong is said on the standard error stream. */
    void update(SourceTree tree) throws IOException {
        for (SourceTree each : workspace.withUpstream(tree)) {
            if (!states.containsKey(each.name())) {
                updateAlone(each);
            }
        }
    }

    TreeState state(SourceTree tree) {
        TreeState state = states.get(tree.name());
        if (state == null) {
            throw new IllegalStateException(tree.name() + " was not updated");
        }
        return state;
    }

    private void updateAlone(SourceTree tree) throws IOException {
        Map<String, Stamp> stamps = tree.stamps();
        String classPath = Digests.of(Javac.joined(workspace.classPath(tree)) + options(tree));
        TreeState state = TreeState.read(tree.state(), classPath)
                .or(() -> adopt(tree, stamps, classPath))
                .orElseGet(() -> new TreeState(classPath));
        fillIn(tree);
        Map<String, ClassFacts> upstream = new HashMap<>();
        for (SourceTree other : workspace.upstream(tree)) {
            upstream.putAll(state(other).classes);
        }
        boolean fine = new TreeUpdate(
                        tree, state, stamps, upstream, (sources, output) -> compile(tree, sources, output))
                .run();
        if (!fine) {
            throw new LoopException(tree.name() + " does not compile");
        }
        states.put(tree.name(), state);
    }

    private Optional<TreeState> adopt(SourceTree tree, Map<String, Stamp> stamps, String classPath) {
        try {
            return mavensBuild.adopt(tree, stamps, classPath);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean compile(SourceTree tree, Set<String> sources, Path output) throws IOException {
        System.err.println("Compiling " + sources.size() + " of " + tree.name()
                + (sources.size() > 3 ? "" : ": " + shortNames(sources)));
        List<Path> classPath = new ArrayList<>(List.of(tree.classes()));
        classPath.addAll(workspace.classPath(tree));
        return javac.compile(tree, sources, classPath, output, options(tree));
    }

    private static String shortNames(Set<String> sources) {
        return sources.stream()
                .map(source -> source.substring(source.lastIndexOf('/') + 1))
                .collect(Collectors.joining(", "));
    }

    /** As Maven has them, but for warnings and checks, which are left to {@link Check}. */
    private List<String> options(SourceTree tree) throws IOException {
        List<String> options = new ArrayList<>(List.of(
                "--release", workspace.resolve(tree.module(), "${maven.compiler.release}"), "-parameters", "-g"));
        options.addAll(List.of("-nowarn", "-Xlint:none"));
        if (tree.hasAnnotationProcessors()) {
            options.addAll(List.of("-processorpath", workspace.processors()));
        } else {
            options.add("-proc:none");
        }
        return options;
    }

    private void fillIn(SourceTree tree) throws IOException {
        if (tree.isTests() || !tree.module().pom().filtersResources()) {
            return;
        }
        Path resources = tree.module().directory().resolve("src/main/resources");
        for (String file : ClassFiles.files(resources)) {
            String text = Files.readString(resources.resolve(file));
            Path filled = tree.filteredResources().resolve(file);
            Files.createDirectories(filled.getParent());
            Files.writeString(filled, workspace.resolve(tree.module(), text));
        }
    }
}
