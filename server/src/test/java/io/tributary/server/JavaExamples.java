package io.tributary.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/**
 * The blocks of Java on a page of the documentation. One that begins with {@code import} says what the others need; one
 * that begins with a class declares it for the others; the rest are statements, in which {@code ...} stands for what
 * the reader does there.
 */
final class JavaExamples {
    /** Its imports are those of all pages. */
    private static final Path EMBEDDING = Path.of("..", "docs", "embedding.md");

    private static final Pattern BLOCK = Pattern.compile("(?ms)^```java\n(.*?)^```");
    private static final Pattern CLASS = Pattern.compile("(?m)^(final class|class|record|interface) ");

    private final List<String> blocks;

    private JavaExamples(List<String> blocks) {
        this.blocks = blocks;
    }

    static JavaExamples of(Path page) throws IOException {
        return new JavaExamples(BLOCK.matcher(Files.readString(page))
                .results()
                .map(block -> block.group(1))
                .toList());
    }

    /** The blocks of statements. */
    List<String> statements() {
        return blocks.stream()
                .filter(Predicate.not(JavaExamples::isImports))
                .filter(Predicate.not(JavaExamples::isClass))
                .toList();
    }

    /** The classes that the page declares. */
    String classes() {
        return blocks.stream()
                .filter(JavaExamples::isClass)
                .map(block -> CLASS.matcher(block).replaceAll("static $1 "))
                .collect(Collectors.joining());
    }

    /**
     * Compiles statements into {@code public static void run(Runnable)}, which runs its argument at each {@code ...}.
     *
     * @param folder where the source and the classes go
     */
    static URLClassLoader compile(String classes, String statements, Path folder) throws IOException {
        String imports =
                of(EMBEDDING).blocks.stream().filter(JavaExamples::isImports).collect(Collectors.joining());
        Path source = folder.resolve("Example.java");
        Files.writeString(
                source,
                imports + "public class Example {\n" + classes
                        + "public static void run(Runnable body) throws Exception {\n"
                        + statements.replace("...", "body.run();") + "}}\n");
        return compile(List.of(source), folder);
    }

    /** Compiles files with what is on the class path of the tests. */
    static URLClassLoader compile(List<Path> sources, Path folder) throws IOException {
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        String[] arguments = Stream.concat(
                        Stream.of("-proc:none", "-cp", classPath, "-d", folder.toString()),
                        sources.stream().map(Path::toString))
                .toArray(String[]::new);
        int result = ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments);
        assertThat(result).as("it compiles: %s", sources).isZero();
        return new URLClassLoader(new URL[] {folder.toUri().toURL()});
    }

    private static boolean isImports(String block) {
        return block.startsWith("import ");
    }

    private static boolean isClass(String block) {
        return CLASS.matcher(block).lookingAt();
    }
}
