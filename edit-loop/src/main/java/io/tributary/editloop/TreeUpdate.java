package io.tributary.editloop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Compiles what a change of a tree's sources, or of classes upstream, concerns.
 *
 * <p>First what was changed is compiled, then that together with all users of classes whose surface is another now, and
 * so on until there are no more. In the end every source that was left out was compiled against surfaces as they are
 * now. The class files are replaced only then; an error leaves all as it was.
 */
final class TreeUpdate {
    private final SourceTree tree;
    private final TreeState state;
    private final Map<String, Stamp> stamps;
    private final Map<String, ClassFacts> upstream;
    private final Compiling compiling;
    private final Path setAside;
    private final Path compiled;

    /** Compiles sources into an empty directory. */
    interface Compiling {
        boolean compile(Set<String> sources, Path output) throws IOException;
    }

    TreeUpdate(
            SourceTree tree,
            TreeState state,
            Map<String, Stamp> stamps,
            Map<String, ClassFacts> upstream,
            Compiling compiling) {
        this.tree = tree;
        this.state = state;
        this.stamps = stamps;
        this.upstream = upstream;
        this.compiling = compiling;
        setAside = tree.target("loop-old");
        compiled = tree.target("loop-new");
    }

    /** Says whether there was no error; if so, the state is that of the sources. */
    boolean run() throws IOException {
        Set<String> deleted = new TreeSet<>(state.sources.keySet());
        deleted.removeAll(stamps.keySet());
        Map<String, ClassFacts> kept = without(deleted);
        Set<String> dirty = new TreeSet<>(stamps.keySet());
        dirty.removeIf(source -> Objects.equals(stamps.get(source), state.sources.get(source)));
        Change change = Surfaces.between(state.seen, surfaces(kept));
        if (dirty.isEmpty() && deleted.isEmpty() && change.isNone()) {
            return true;
        }
        ClassFiles.makeEmpty(compiled);
        ClassFiles.makeEmpty(setAside);
        Users users = new Users(tree, state.classes, List.of(tree.classes(), setAside));
        dirty = withUsers(dirty, change, users);
        Files.deleteIfExists(tree.state());
        Map<String, ClassFacts> now = kept;
        while (!dirty.isEmpty()) {
            setAside(dirty, deleted);
            if (!compiling.compile(dirty, ClassFiles.makeEmpty(compiled))) {
                restore();
                return false;
            }
            Set<String> replaced = new TreeSet<>(dirty);
            replaced.addAll(deleted);
            now = without(replaced);
            now.putAll(ClassFiles.facts(compiled));
            Set<String> more = withUsers(dirty, Surfaces.between(state.seen, surfaces(now)), users);
            if (more.equals(dirty)) {
                break;
            }
            dirty = more;
        }
        setAside(dirty, deleted);
        ClassFiles.move(ClassFiles.files(compiled), compiled, tree.classes());
        ClassFiles.makeEmpty(setAside);
        accept(dirty, now);
        return true;
    }

    private Set<String> withUsers(Set<String> dirty, Change change, Users users) throws IOException {
        Set<String> more = new TreeSet<>(dirty);
        more.addAll(users.of(change, stamps.keySet()));
        boolean all = change.hierarchy() || (!more.isEmpty() && tree.hasAnnotationProcessors());
        if (all) {
            more.addAll(stamps.keySet());
        }
        return more;
    }

    /** Class files of sources that are compiled again must not be seen by the compiler. */
    private void setAside(Set<String> dirty, Set<String> deleted) throws IOException {
        Files.createDirectories(tree.classes());
        if (dirty.equals(stamps.keySet())) {
            ClassFiles.move(ClassFiles.files(tree.classes()), tree.classes(), setAside);
            return;
        }
        Set<String> sources = new TreeSet<>(dirty);
        sources.addAll(deleted);
        List<String> files = new ArrayList<>();
        state.classesOf(sources).forEach(name -> files.add(ClassFiles.fileOf(name)));
        ClassFiles.move(files, tree.classes(), setAside);
    }

    private void restore() throws IOException {
        ClassFiles.move(ClassFiles.files(setAside), setAside, tree.classes());
        state.write(tree.state());
    }

    private void accept(Set<String> dirty, Map<String, ClassFacts> classes) throws IOException {
        Map<String, Surface> seen = surfaces(classes);
        state.sources.clear();
        state.sources.putAll(stamps);
        state.unchecked.addAll(dirty);
        state.unchecked.retainAll(stamps.keySet());
        state.classes.clear();
        state.classes.putAll(classes);
        state.seen.clear();
        state.seen.putAll(seen);
        state.write(tree.state());
    }

    private Map<String, ClassFacts> without(Set<String> sources) {
        Map<String, ClassFacts> kept = new HashMap<>(state.classes);
        Predicate<ClassFacts> gone = it -> sources.contains(it.source());
        kept.values().removeIf(sources.containsAll(stamps.keySet()) ? it -> true : gone);
        return kept;
    }

    private Map<String, Surface> surfaces(Map<String, ClassFacts> own) {
        Map<String, ClassFacts> all = new HashMap<>(upstream);
        all.putAll(own);
        return Surfaces.of(all);
    }
}
