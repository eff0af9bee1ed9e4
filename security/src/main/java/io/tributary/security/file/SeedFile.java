package io.tributary.security.file;

import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * Reads a YAML file of security objects: a map of tables, of which each is a map of ids. What an object is made of is
 * for others to judge; here it keeps its place in the file.
 */
public final class SeedFile {
    private static final int MOST_CODE_POINTS = 64 << 20;
    private static final Set<String> TRUE = Set.of("true", "yes", "on");

    private SeedFile() {}

    /**
     * An object.
     *
     * @param table the name of its table
     * @param value maps, lists, texts, numbers, flags and null, one within the other
     * @param places where its parts are in the file
     */
    public record Item(String table, String id, Map<String, @Nullable Object> value, Places places) {}

    /** Where the parts of an object are in the file. */
    public static final class Places {
        private final Node object;

        private Places(Node object) {
            this.object = object;
        }

        /**
         * Where a part begins: {@code line 7, column 9}, both from 1.
         *
         * @param path which part, such as {@code rules[2].topic}; where there is no such part, it is the innermost one
         *     around it
         */
        public String of(String path) {
            Node part = object;
            for (String step : path.split("[.\\[]", -1)) {
                Node next = within(part, step);
                if (next == null) {
                    break;
                }
                part = next;
            }
            return place(part.getStartMark());
        }

        /** @param step the key of a map, or {@code 2]} for an element of a list */
        private static @Nullable Node within(Node part, String step) {
            return switch (part) {
                case MappingNode map ->
                    map.getValue().stream()
                            .filter(tuple -> tuple.getKeyNode() instanceof ScalarNode key
                                    && key.getValue().equals(step))
                            .map(NodeTuple::getValueNode)
                            .findFirst()
                            .orElse(null);
                case SequenceNode list
                when step.matches("\\d{1,6}]") -> {
                    int index = Integer.parseInt(step.substring(0, step.length() - 1));
                    yield index < list.getValue().size() ? list.getValue().get(index) : null;
                }
                default -> null;
            };
        }
    }

    /**
     * The objects of a file.
     *
     * @throws IllegalArgumentException when it cannot be read as such: the words have the place, and show no secret
     */
    public static List<Item> read(Path file) {
        String text;
        try {
            text = Files.readString(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalArgumentException("'" + file + "' cannot be read: " + e, e);
        }
        List<Item> items = new ArrayList<>();
        Node root = compose(text);
        if (root != null) {
            tuples(root, "the file")
                    .forEach((table, objects) ->
                            tuples(objects, table).forEach((id, object) -> items.add(item(table, id, object))));
        }
        return items;
    }

    private static Item item(String table, String id, Node object) {
        Map<String, @Nullable Object> value = new LinkedHashMap<>();
        tuples(object, id).forEach((key, node) -> value.put(key, valueOf(node)));
        return new Item(table, id, value, new Places(object));
    }

    private static @Nullable Node compose(String text) {
        LoaderOptions options = new LoaderOptions();
        options.setCodePointLimit(MOST_CODE_POINTS);
        options.setMaxAliasesForCollections(0);
        try {
            return new Yaml(new SafeConstructor(options)).compose(new StringReader(text));
        } catch (MarkedYAMLException e) { // its own words show the lines, secrets included
            throw new IllegalArgumentException(
                    e.getProblemMark() == null ? "is not YAML" : place(e.getProblemMark()) + ": this is not YAML");
        } catch (YAMLException e) {
            throw new IllegalArgumentException("is not YAML that can be read here");
        }
    }

    private static Map<String, Node> tuples(Node node, String what) {
        if (!(node instanceof MappingNode map)) {
            throw new IllegalArgumentException(place(node.getStartMark()) + ": " + what + " must be a map");
        }
        Map<String, Node> tuples = new LinkedHashMap<>();
        for (NodeTuple tuple : map.getValue()) {
            Node key = tuple.getKeyNode();
            if (!(key instanceof ScalarNode name)) {
                throw new IllegalArgumentException(place(key.getStartMark()) + ": a key must be a text");
            }
            if (tuples.put(name.getValue(), tuple.getValueNode()) != null) {
                throw new IllegalArgumentException(
                        place(key.getStartMark()) + ": " + name.getValue() + " is there twice");
            }
        }
        return tuples;
    }

    private static @Nullable Object valueOf(Node node) {
        return switch (node) {
            case MappingNode map -> {
                Map<String, @Nullable Object> values = new LinkedHashMap<>();
                tuples(map, "this").forEach((key, value) -> values.put(key, valueOf(value)));
                yield values;
            }
            case SequenceNode list -> {
                List<@Nullable Object> values = new ArrayList<>();
                list.getValue().forEach(each -> values.add(valueOf(each)));
                yield values;
            }
            case ScalarNode scalar -> valueOf(scalar);
            default -> throw new IllegalArgumentException(place(node.getStartMark()) + ": an alias has no place here");
        };
    }

    private static @Nullable Object valueOf(ScalarNode scalar) {
        String text = scalar.getValue();
        if (scalar.getTag().equals(Tag.NULL)) {
            return null;
        }
        if (scalar.getTag().equals(Tag.BOOL)) {
            return TRUE.contains(text.toLowerCase(Locale.ROOT));
        }
        return scalar.getTag().equals(Tag.INT) && text.matches("-?\\d{1,18}") ? (Object) Long.valueOf(text) : text;
    }

    private static String place(Mark mark) {
        return "line " + (mark.getLine() + 1) + ", column " + (mark.getColumn() + 1);
    }
}
