package io.tributary.editloop;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** The JDK's compiler, in this process. */
final class Javac {
    private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();

    /**
     * Compiles sources; errors go to the standard error stream.
     *
     * @param sources from the root of the tree
     * @param classPath in order; what is not there is left out
     * @param output an empty directory
     * @return whether there was no error
     */
    boolean compile(
            SourceTree tree, Collection<String> sources, List<Path> classPath, Path output, List<String> arguments)
            throws IOException {
        List<String> options = new ArrayList<>(arguments);
        options.addAll(List.of("-d", output.toString(), "-cp", joined(classPath), "-implicit:none", "-sourcepath", ""));
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            Stream<Path> paths = sources.stream().map(tree.sources()::resolve);
            return compiler.getTask(null, files, null, options, null, files.getJavaFileObjectsFromPaths(paths.toList()))
                    .call();
        }
    }

    static String joined(Collection<Path> path) {
        return path.stream()
                .filter(Files::exists)
                .map(entry -> entry.toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }
}
