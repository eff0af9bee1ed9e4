package io.tributary.server.settings;

import com.sun.source.doctree.DocCommentTree;
import com.sun.source.doctree.DocTree;
import com.sun.source.doctree.LiteralTree;
import com.sun.source.doctree.ParamTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** What the documentation comments of the settings' records say, as Markdown. */
final class SettingDescriptions {
    private static final Path SOURCES = Path.of("src/main/java/io/tributary/server/settings");

    private final Map<String, String> groups = new HashMap<>();
    private final Map<String, String> components = new HashMap<>();

    static SettingDescriptions read() throws IOException {
        SettingDescriptions descriptions = new SettingDescriptions();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
                Stream<Path> sources = Files.list(SOURCES)) {
            List<Path> records = sources.filter(file -> file.toString().endsWith("Settings.java"))
                    .toList();
            JavacTask task = (JavacTask) compiler.getTask(
                    null, files, null, List.of("-proc:none"), null, files.getJavaFileObjectsFromPaths(records));
            for (CompilationUnitTree unit : task.parse()) {
                descriptions.add(unit, DocTrees.instance(task));
            }
        }
        return descriptions;
    }

    /** What a record as a whole says. */
    String ofGroup(Class<?> record) {
        return groups.getOrDefault(record.getSimpleName(), "");
    }

    /** What a record says about one of its components. */
    String ofComponent(Class<?> record, String component) {
        return components.getOrDefault(record.getSimpleName() + "." + component, "");
    }

    private void add(CompilationUnitTree unit, DocTrees trees) {
        Tree type = unit.getTypeDecls().getFirst();
        String name =
                Path.of(unit.getSourceFile().getName()).getFileName().toString().replace(".java", "");
        DocCommentTree comment = trees.getDocCommentTree(TreePath.getPath(unit, type));
        groups.put(name, markdown(comment.getFullBody()));
        for (DocTree tag : comment.getBlockTags()) {
            if (tag instanceof ParamTree component) {
                components.put(name + "." + component.getName(), markdown(component.getDescription()));
            }
        }
    }

    private static String markdown(List<? extends DocTree> parts) {
        return parts.stream()
                .map(part -> part instanceof LiteralTree literal ? "`" + literal.getBody() + "`" : part.toString())
                .collect(Collectors.joining())
                .replaceAll("\\s+", " ");
    }
}
