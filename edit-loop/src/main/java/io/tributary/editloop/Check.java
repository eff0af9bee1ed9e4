package io.tributary.editloop;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Compiles once more what was compiled since it was last checked: with all warnings, as errors, with Error Prone and
 * NullAway, by the arguments in {@code pom.xml}. The class files are thrown away.
 */
final class Check {
    private final Workspace workspace;
    private final Trees trees;
    private final MavensBuild mavensBuild;

    Check(Workspace workspace, Trees trees) {
        this.workspace = workspace;
        this.trees = trees;
        mavensBuild = new MavensBuild(workspace);
    }

    /** Says how many sources were checked; it is an error if something was found. */
    int run() throws IOException {
        int checked = 0;
        List<String> wrong = new ArrayList<>();
        for (Module module : workspace.modules()) {
            for (SourceTree tree : module.trees()) {
                Set<String> sources = new TreeSet<>(trees.state(tree).unchecked);
                if (sources.isEmpty() || mavensBuild.isCurrent(tree)) {
                    continue;
                }
                System.err.println("Checking " + sources.size() + " of " + tree.name());
                if (isFine(tree, sources)) {
                    checked += sources.size();
                } else {
                    wrong.add(tree.name());
                }
            }
        }
        if (!wrong.isEmpty()) {
            throw new LoopException("the compiler or Error Prone found something in " + String.join(", ", wrong));
        }
        return checked;
    }

    private boolean isFine(SourceTree tree, Set<String> sources) throws IOException {
        List<Path> classPath = new ArrayList<>(List.of(tree.classes()));
        classPath.addAll(workspace.classPath(tree));
        boolean fine = new Javac()
                .compile(tree, sources, classPath, ClassFiles.makeEmpty(tree.target("loop-new")), options(tree));
        ClassFiles.makeEmpty(tree.target("loop-new"));
        if (fine) {
            TreeState state = trees.state(tree);
            state.unchecked.removeAll(sources);
            state.write(tree.state());
        }
        return fine;
    }

    private List<String> options(SourceTree tree) throws IOException {
        List<String> options = new ArrayList<>(List.of(
                "--release", workspace.resolve(tree.module(), "${maven.compiler.release}"), "-parameters", "-g"));
        options.addAll(List.of("-proc:none", "-Werror", "-processorpath", workspace.processors()));
        for (String argument : workspace.root().compilerArguments(tree.isTests())) {
            options.add(workspace.resolve(tree.module(), argument).strip().replaceAll("\\s+", " "));
        }
        return options;
    }
}
