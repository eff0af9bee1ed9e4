package io.tributary.editloop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** What Maven has compiled, as something to begin with: it saves the first run from compiling everything. */
final class MavensBuild {
    private final Workspace workspace;
    private final Map<String, Map<String, ClassFacts>> facts = new HashMap<>();

    MavensBuild(Workspace workspace) {
        this.workspace = workspace;
    }

    /**
     * Copies Maven's class files of a tree to where the loop has its own, if they were compiled against the class files
     * that Maven has of upstream trees: then none of those is younger. Sources that are younger than their class are
     * left to be compiled.
     */
    Optional<TreeState> adopt(SourceTree tree, Map<String, Stamp> stamps, String classPath) throws IOException {
        List<String> files = ClassFiles.files(tree.mavensClasses());
        if (files.isEmpty() || !isLaterThanUpstream(tree)) {
            return Optional.empty();
        }
        Set<String> resources =
                ClassFiles.files(tree.module().directory().resolve("src/" + tree.kind() + "/resources")).stream()
                        .collect(Collectors.toSet());
        ClassFiles.copy(
                files.stream().filter(file -> !resources.contains(file)).toList(),
                tree.mavensClasses(),
                ClassFiles.makeEmpty(tree.classes()));
        TreeState state = new TreeState(classPath);
        state.classes.putAll(factsOf(tree));
        Map<String, ClassFacts> all = new HashMap<>(state.classes);
        for (SourceTree upstream : workspace.upstream(tree)) {
            all.putAll(factsOf(upstream));
        }
        state.seen.putAll(Surfaces.of(all));
        for (Map.Entry<String, Stamp> source : stamps.entrySet()) {
            state.sources.put(source.getKey(), isCompiled(tree, source) ? source.getValue() : Stamp.CHANGED);
        }
        if (!tree.hasAnnotationProcessors()) { // which have made the sources of others
            state.classes.values().forEach(it -> state.sources.putIfAbsent(it.source(), Stamp.CHANGED));
        }
        state.write(tree.state());
        return Optional.of(state);
    }

    /**
     * Whether Maven has compiled, and so checked, all sources of a tree as they are now, against upstream as it is now.
     */
    boolean isCurrent(SourceTree tree) throws IOException {
        for (SourceTree each : workspace.withUpstream(tree)) {
            if (!isLaterThanUpstream(each)) {
                return false;
            }
            for (Map.Entry<String, Stamp> source : each.stamps().entrySet()) {
                if (!isCompiled(each, source)) {
                    return false;
                }
            }
        }
        return true;
    }

    private static boolean isCompiled(SourceTree tree, Map.Entry<String, Stamp> source) throws IOException {
        Path file = tree.mavensClasses().resolve(source.getKey().replaceFirst("\\.java$", ".class"));
        return Files.exists(file)
                && Stamp.of(file).modifiedNanos() > source.getValue().modifiedNanos();
    }

    private boolean isLaterThanUpstream(SourceTree tree) throws IOException {
        long since = Math.max(
                modified(workspace.directory().resolve("pom.xml")),
                modified(tree.module().directory().resolve("pom.xml")));
        for (SourceTree upstream : workspace.upstream(tree)) {
            if (Files.isDirectory(upstream.sources())
                    && ClassFiles.files(upstream.mavensClasses()).isEmpty()) {
                return false;
            }
            since = Math.max(since, times(upstream).stream().reduce(0L, Math::max));
        }
        return times(tree).stream().reduce(Long.MAX_VALUE, Math::min) >= since;
    }

    private static List<Long> times(SourceTree tree) throws IOException {
        List<String> classes = ClassFiles.files(tree.mavensClasses()).stream()
                .filter(file -> file.endsWith(".class"))
                .toList();
        List<Long> times = new ArrayList<>();
        for (String file : classes) {
            times.add(modified(tree.mavensClasses().resolve(file)));
        }
        return times;
    }

    private static long modified(Path file) throws IOException {
        return Stamp.of(file).modifiedNanos();
    }

    private Map<String, ClassFacts> factsOf(SourceTree tree) throws IOException {
        Map<String, ClassFacts> known = facts.get(tree.name());
        if (known == null) {
            known = ClassFiles.facts(tree.mavensClasses());
            facts.put(tree.name(), known);
        }
        return known;
    }
}
