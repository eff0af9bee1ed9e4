package io.tributary.editloop;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The surfaces of classes with those of their super types, and what differs between two times. */
final class Surfaces {
    private final Map<String, ClassFacts> classes;
    private final Map<String, Surface> known = new HashMap<>();

    private Surfaces(Map<String, ClassFacts> classes) {
        this.classes = classes;
    }

    static Map<String, Surface> of(Map<String, ClassFacts> classes) {
        Surfaces surfaces = new Surfaces(classes);
        Map<String, Surface> all = new TreeMap<>();
        classes.keySet().forEach(name -> all.put(name, surfaces.of(name)));
        return all;
    }

    /** Classes of libraries have no surface: with another class path all is compiled anew. */
    private Surface of(String name) {
        ClassFacts facts = classes.get(name);
        if (facts == null || facts.own().equals(Surface.NONE)) {
            return Surface.NONE;
        }
        Surface before = known.get(name);
        if (before != null) {
            return before;
        }
        String inherited = facts.supers().stream().map(type -> of(type).whole()).collect(Collectors.joining(" "));
        Surface own = facts.own();
        Surface surface =
                new Surface(own.header(), inherited.isBlank() ? own.whole() : Digests.of(own.whole() + inherited));
        known.put(name, surface);
        return surface;
    }

    /** What users have to be compiled for again. */
    static Change between(Map<String, Surface> before, Map<String, Surface> now) {
        Set<String> names = new HashSet<>();
        Set<String> words = new HashSet<>();
        boolean hierarchy = false;
        Set<String> all = new HashSet<>(before.keySet());
        all.addAll(now.keySet());
        for (String name : all) {
            Surface old = before.getOrDefault(name, Surface.NONE);
            Surface young = now.getOrDefault(name, Surface.NONE);
            if (!old.equals(young)) {
                names.add(name);
                words.add(simpleName(name));
                hierarchy |= !old.header().isEmpty()
                        && !young.header().isEmpty()
                        && !old.header().equals(young.header());
            }
        }
        return new Change(names, words, hierarchy);
    }

    private static String simpleName(String name) {
        return name.substring(Math.max(name.lastIndexOf('/'), name.lastIndexOf('$')) + 1);
    }
}
