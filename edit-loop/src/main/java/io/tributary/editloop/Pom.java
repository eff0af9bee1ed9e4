package io.tributary.editloop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/**
 * The few things of a {@code pom.xml} that the loop goes by, so that they are said once: options of the compiler and of
 * the tests' JVM.
 */
final class Pom {
    private static final Pattern REFERENCE = Pattern.compile("[$@]\\{([\\w.-]+)}");

    private final Element project;

    private Pom(Element project) {
        this.project = project;
    }

    static Pom read(Path file) throws IOException {
        if (!Files.isReadable(file)) {
            throw new LoopException(file + " cannot be read");
        }
        try {
            Document document =
                    DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile());
            return new Pom(document.getDocumentElement());
        } catch (ParserConfigurationException | SAXException e) {
            throw new LoopException(file + " is not what Maven reads: " + e.getMessage());
        }
    }

    /** Names of modules, in the order in which they are built. */
    List<String> modules() {
        return textsOf(only("modules"), "module");
    }

    /** A property, with references in it as they are. */
    Optional<String> property(String name) {
        return child(project, "properties").flatMap(all -> child(all, name)).map(Node::getTextContent);
    }

    String version() {
        return child(project, "version").orElseThrow().getTextContent();
    }

    boolean hasAnnotationProcessors() {
        return project.getElementsByTagName("annotationProcessorPaths").getLength() > 0;
    }

    /** The words of the compiler's command line, without those that name files; for main classes, and for tests. */
    List<String> compilerArguments(boolean tests) {
        List<Element> all = all("compilerArgs");
        if (all.size() != 2) {
            throw new LoopException(
                    "pom.xml has " + all.size() + " <compilerArgs>, not one for classes and one for tests");
        }
        return textsOf(all.get(tests ? 1 : 0), "arg");
    }

    /** Of the plug-in that runs tests: the text of an element such as {@code argLine}. */
    Optional<String> surefire(String element) {
        return surefireElement(element).map(Node::getTextContent);
    }

    /** Of the plug-in that runs tests: the elements in one such as {@code systemPropertyVariables}, if there is one. */
    Optional<Map<String, String>> surefireMap(String element) {
        return surefireElement(element).map(parent -> {
            Map<String, String> values = new LinkedHashMap<>();
            for (Element value : children(parent)) {
                values.put(value.getTagName(), value.getTextContent());
            }
            return values;
        });
    }

    /** Whether resources go through Maven, which fills in properties. */
    boolean filtersResources() {
        return all("filtering").stream()
                .anyMatch(element -> element.getTextContent().equals("true"));
    }

    /**
     * Fills in {@code ${name}} and {@code @{name}}; what has no value becomes empty, as before any plug-in has set it.
     */
    static String resolve(String text, Function<String, Optional<String>> values) {
        Matcher matcher = REFERENCE.matcher(text);
        StringBuilder resolved = new StringBuilder();
        while (matcher.find()) {
            String value = values.apply(matcher.group(1)).orElse("");
            matcher.appendReplacement(resolved, Matcher.quoteReplacement(resolve(value, values)));
        }
        return matcher.appendTail(resolved).toString();
    }

    private Optional<Element> surefireElement(String name) {
        for (Element plugin : all("plugin")) {
            if (child(plugin, "artifactId").orElseThrow().getTextContent().equals("maven-surefire-plugin")) {
                return child(plugin, "configuration").flatMap(configuration -> descendant(configuration, name));
            }
        }
        return Optional.empty();
    }

    private static Optional<Element> descendant(Element parent, String name) {
        return parent.getElementsByTagName(name).item(0) instanceof Element found
                ? Optional.of(found)
                : Optional.empty();
    }

    private Element only(String name) {
        return descendant(project, name)
                .orElseThrow(() -> new LoopException("the root's pom.xml has no <" + name + ">"));
    }

    private List<Element> all(String name) {
        List<Element> found = new ArrayList<>();
        var nodes = project.getElementsByTagName(name);
        for (int i = 0; i < nodes.getLength(); i++) {
            if (nodes.item(i) instanceof Element element) {
                found.add(element);
            }
        }
        return found;
    }

    private static List<String> textsOf(Element parent, String name) {
        return children(parent).stream()
                .filter(element -> element.getTagName().equals(name))
                .map(element -> element.getTextContent().strip())
                .toList();
    }

    private static Optional<Element> child(Element parent, String name) {
        return children(parent).stream()
                .filter(element -> element.getTagName().equals(name))
                .findFirst();
    }

    private static List<Element> children(Element parent) {
        List<Element> found = new ArrayList<>();
        for (Node node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
            if (node instanceof Element element) {
                found.add(element);
            }
        }
        return found;
    }
}
