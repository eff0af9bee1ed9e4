package io.tributary.editloop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What the loop knows of a tree's class files: what they were compiled from, and against what. Kept in a file, which is
 * there only while it is true of the class files.
 */
final class TreeState {
    private static final String FORMAT = "edit-loop 1";

    /** Of each source when it was compiled. */
    final Map<String, Stamp> sources = new TreeMap<>();
    /** Sources that were compiled, but not checked since. */
    final Set<String> unchecked = new TreeSet<>();
    /** Of this tree's class files, by name. */
    final Map<String, ClassFacts> classes = new TreeMap<>();
    /** Of this tree's and all upstream classes when this tree was compiled, by name. */
    final Map<String, Surface> seen = new TreeMap<>();
    /** Of the class path: what it was then. */
    private final String classPath;

    TreeState(String classPath) {
        this.classPath = classPath;
    }

    /** Nothing, if there is no file, or one of another format or another class path. */
    static Optional<TreeState> read(Path file, String classPath) throws IOException {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        List<String> lines = Files.readAllLines(file);
        if (lines.isEmpty() || !lines.getFirst().equals(FORMAT + "\t" + classPath)) {
            return Optional.empty();
        }
        TreeState state = new TreeState(classPath);
        lines.stream().skip(1).map(line -> line.split("\t", -1)).forEach(state::add);
        return Optional.of(state);
    }

    private void add(String[] line) {
        switch (line[0]) {
            case "source" -> sources.put(line[1], new Stamp(Long.parseLong(line[2]), Long.parseLong(line[3])));
            case "unchecked" -> unchecked.add(line[1]);
            case "class" ->
                classes.put(
                        line[1], new ClassFacts(line[1], line[2], List.of(line[3].split(" ", -1)), surface(line, 4)));
            default -> seen.put(line[1], surface(line, 2));
        }
    }

    private static Surface surface(String[] line, int from) {
        return new Surface(line[from], line[from + 1]);
    }

    void write(Path file) throws IOException {
        List<String> lines = new ArrayList<>();
        lines.add(FORMAT + "\t" + classPath);
        sources.forEach(
                (name, stamp) -> lines.add(line("source", name, stamp.modifiedNanos() + "", stamp.size() + "")));
        unchecked.forEach(name -> lines.add(line("unchecked", name)));
        classes.values()
                .forEach(it -> lines.add(
                        line("class", it.name(), it.source(), String.join(" ", it.supers()), line(it.own()))));
        seen.forEach((name, surface) -> lines.add(line("seen", name, line(surface))));
        Path written = file.resolveSibling(file.getFileName() + ".new");
        Files.write(written, lines);
        Files.move(written, file, StandardCopyOption.REPLACE_EXISTING);
    }

    private static String line(Surface surface) {
        return line(surface.header(), surface.whole());
    }

    private static String line(String... words) {
        return String.join("\t", words);
    }

    /** The names of the classes of these sources. */
    Set<String> classesOf(Set<String> ofSources) {
        Set<String> names = new TreeSet<>();
        classes.values().stream().filter(it -> ofSources.contains(it.source())).forEach(it -> names.add(it.name()));
        return names;
    }
}
