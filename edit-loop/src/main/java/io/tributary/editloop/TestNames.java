package io.tributary.editloop;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Finds the tests that are meant by names such as {@code TopicNameTest}, {@code Topic*} and {@code FaultsTest#loses*}.
 */
final class TestNames {
    private static final Pattern TEST = Pattern.compile("Test.*|.*(Test|Tests|TestCase)");
    private static final int NEAR_NAMES = 5;
    private static final int COST_OF_AN_EDIT = 3;

    private final Map<String, List<TestClass>> bySimpleName = new LinkedHashMap<>();

    /**
     * A class, and which of its methods.
     *
     * @param name with its package
     * @param methods a pattern with {@code *} and {@code ?}; empty for all
     */
    record TestClass(Module module, String name, String methods) {
        String simpleName() {
            return name.substring(name.lastIndexOf('.') + 1);
        }
    }

    TestNames(Collection<Module> modules) throws IOException {
        for (Module module : modules) {
            for (String source : module.tests().stamps().keySet()) {
                TestClass found = new TestClass(
                        module, source.replaceFirst("\\.java$", "").replace('/', '.'), "");
                bySimpleName
                        .computeIfAbsent(found.simpleName(), name -> new ArrayList<>())
                        .add(found);
            }
        }
    }

    /**
     * All tests that these names mean.
     *
     * @param names a class with or without its package, the path of its source, or a pattern; each perhaps with
     *     {@code #method}; several also in one, with commas between
     */
    List<TestClass> find(List<String> names) {
        List<TestClass> found = new ArrayList<>();
        for (String name : String.join(",", names).split(",", -1)) {
            found.addAll(find(name));
        }
        return found;
    }

    private List<TestClass> find(String name) {
        String[] parts = name.split("#", 2);
        String wanted = parts[0].replaceFirst("^.*src/test/java/", "")
                .replaceFirst("\\.java$", "")
                .replace('/', '.');
        String methods = parts.length > 1 ? parts[1] : "";
        boolean isPattern = wanted.contains("*") || wanted.contains("?");
        Pattern pattern = globPattern(wanted);
        List<TestClass> found = bySimpleName.values().stream()
                .flatMap(List::stream)
                .filter(it -> pattern.matcher(wanted.contains(".") ? it.name() : it.simpleName())
                        .matches())
                .filter(it -> !isPattern || isTest(it))
                .map(it -> new TestClass(it.module(), it.name(), methods))
                .toList();
        if (found.isEmpty()) {
            throw new LoopException("no test is called '" + name + "' in any module" + nearNames(wanted));
        }
        return found;
    }

    private static boolean isTest(TestClass candidate) {
        return TEST.matcher(candidate.simpleName()).matches();
    }

    /** A pattern for names: {@code *} is any characters, {@code ?} is one. */
    static Pattern globPattern(String glob) {
        return Pattern.compile(globText(glob));
    }

    static String globText(String glob) {
        return ("\\Q" + glob + "\\E").replace("*", "\\E.*\\Q").replace("?", "\\E.\\Q");
    }

    private String nearNames(String wanted) {
        String simple = wanted.substring(wanted.lastIndexOf('.') + 1).replaceAll("[*?]", "");
        TreeSet<String> near = new TreeSet<>(
                Comparator.<String>comparingInt(it -> distance(simple, it)).thenComparing(Comparator.naturalOrder()));
        bySimpleName.keySet().stream().filter(it -> TEST.matcher(it).matches()).forEach(near::add);
        if (simple.isEmpty() || near.isEmpty()) {
            return "";
        }
        return "; near names: "
                + String.join(", ", near.stream().limit(NEAR_NAMES).toList());
    }

    /** How many characters have to be changed; few where one name is a part of the other. */
    static int distance(String first, String second) {
        String a = first.toLowerCase(Locale.ROOT);
        String b = second.toLowerCase(Locale.ROOT);
        if (a.contains(b) || b.contains(a)) {
            return Math.abs(a.length() - b.length());
        }
        int[] row = new int[b.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[b.length()] * COST_OF_AN_EDIT;
    }
}
