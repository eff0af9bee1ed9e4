package io.tributary.perf.report;

import io.tributary.perf.result.RunResult;
import java.util.ArrayList;
import java.util.List;

/** What runs are called where they stand side by side: by what tells them apart, for the rest is in the title. */
final class RunNames {
    private RunNames() {}

    /** In the order of the runs. */
    static List<String> of(List<RunResult> runs) {
        List<String> names = runs.stream().map(RunNames::full).toList();
        return names.size() > 1 && names.stream().distinct().count() == 1 ? numbered(names) : shortened(names);
    }

    private static List<String> numbered(List<String> names) {
        List<String> numbered = new ArrayList<>();
        for (String name : names) {
            numbered.add(name + " (" + (numbered.size() + 1) + ")");
        }
        return numbered;
    }

    /** The name of a run that stands alone. */
    static String full(RunResult run) {
        return run.label() + " on " + run.target().name();
    }

    /** Without the words that all begin with, and those that all end with; at least one is left. */
    static List<String> shortened(List<String> names) {
        if (names.stream().distinct().count() < 2) {
            return names;
        }
        List<List<String>> words =
                names.stream().map(name -> List.of(name.split(" "))).toList();
        int shortest = words.stream().mapToInt(List::size).min().orElse(0);
        int begin = 0;
        while (begin < shortest - 1 && isSame(words, begin, false)) {
            begin++;
        }
        int end = 0;
        while (begin + end < shortest - 1 && isSame(words, end, true)) {
            end++;
        }
        List<String> result = new ArrayList<>();
        for (List<String> name : words) {
            result.add(String.join(" ", name.subList(begin, name.size() - end)));
        }
        return result;
    }

    private static boolean isSame(List<List<String>> names, int index, boolean fromEnd) {
        return names.stream()
                        .map(name -> name.get(fromEnd ? name.size() - 1 - index : index))
                        .distinct()
                        .count()
                == 1;
    }
}
