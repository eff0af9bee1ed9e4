package io.tributary.editloop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Which sources of a tree use a class: by its class files as they were compiled last, and by its text. */
final class Users {
    private final SourceTree tree;
    private final Map<String, ClassFacts> classes;
    private final List<Path> directories;
    private final Map<String, Set<String>> named = new HashMap<>();
    private final Map<String, Set<String>> words = new HashMap<>();

    /**
     * @param classes as they were compiled last
     * @param directories where the files of these classes are, in one or another
     */
    Users(SourceTree tree, Map<String, ClassFacts> classes, List<Path> directories) {
        this.tree = tree;
        this.classes = Map.copyOf(classes);
        this.directories = List.copyOf(directories);
    }

    Set<String> of(Change change, Set<String> sources) throws IOException {
        Set<String> users = new TreeSet<>();
        if (change.isNone()) {
            return users;
        }
        if (named.isEmpty()) {
            readClasses();
        }
        for (String source : sources) {
            if (!Collections.disjoint(named.getOrDefault(source, Set.of()), change.classes())
                    || !Collections.disjoint(wordsOf(source), change.words())) {
                users.add(source);
            }
        }
        return users;
    }

    private void readClasses() throws IOException {
        for (ClassFacts it : classes.values()) {
            for (Path directory : directories) {
                Path file = directory.resolve(ClassFiles.fileOf(it.name()));
                if (Files.exists(file)) {
                    named.computeIfAbsent(it.source(), source -> new HashSet<>())
                            .addAll(ClassFacts.namedIn(Files.readAllBytes(file)));
                }
            }
        }
    }

    private Set<String> wordsOf(String source) throws IOException {
        Set<String> known = words.get(source);
        if (known == null) {
            String text = Files.readString(tree.sources().resolve(source));
            known = new HashSet<>(Arrays.asList(text.split("\\W+", -1)));
            words.put(source, known);
        }
        return known;
    }
}
