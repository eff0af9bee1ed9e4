package io.tributary.perf.scenario;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Which subscribers a topic reaches: topic filters as a tree of levels. Filled by one thread, then only read. */
final class FilterIndex {
    private final Level root = new Level();

    /** Adds a subscriber by its number; filters without {@code $share/group/}. */
    void add(String filter, int subscriber) {
        Level level = root;
        for (String word : filter.split("/", -1)) {
            level = level.children.computeIfAbsent(word, _ -> new Level());
        }
        level.subscribers.add(subscriber);
    }

    /** Calls for each subscription that matches; for a subscriber with several of them, several times. */
    void match(String topic, IntConsumer each) {
        match(root, topic.split("/", -1), 0, each);
    }

    private static void match(Level level, String[] words, int depth, IntConsumer each) {
        boolean system = depth == 0 && words[0].startsWith("$");
        if (!system) {
            accept(level.children.get("#"), each);
        }
        if (depth == words.length) {
            accept(level, each);
            return;
        }
        descend(level.children.get(words[depth]), words, depth, each);
        if (!system) {
            descend(level.children.get("+"), words, depth, each);
        }
    }

    private static void descend(@Nullable Level child, String[] words, int depth, IntConsumer each) {
        if (child != null) {
            match(child, words, depth + 1, each);
        }
    }

    private static void accept(@Nullable Level level, IntConsumer each) {
        if (level != null) {
            level.subscribers.forEach(each::accept);
        }
    }

    private static final class Level {
        private final Map<String, Level> children = new HashMap<>();
        private final List<Integer> subscribers = new ArrayList<>();
    }
}
