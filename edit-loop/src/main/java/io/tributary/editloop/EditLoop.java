package io.tributary.editloop;

import io.tributary.editloop.TestNames.TestClass;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code test NAME... [-Dkey=value...]} and {@code check}: what {@code ./tributary} runs, in the root of the
 * repository.
 */
final class EditLoop {
    private static final int FAILED = 1;

    private final Workspace workspace;
    private final Map<String, String> properties;

    private EditLoop(Workspace workspace, Map<String, String> properties) {
        this.workspace = workspace;
        this.properties = Map.copyOf(properties);
    }

    static void main(String[] arguments) throws IOException, InterruptedException {
        try {
            List<String> names = new ArrayList<>();
            Map<String, String> properties = new LinkedHashMap<>();
            for (String argument : List.of(arguments).subList(1, arguments.length)) {
                take(argument, names, properties);
            }
            EditLoop loop = new EditLoop(Workspace.open(Path.of(""), properties), properties);
            boolean fine = arguments[0].equals("check") ? loop.check(names) : loop.test(names);
            System.exit(fine ? 0 : FAILED);
        } catch (LoopException e) {
            System.err.println("tributary: " + e.getMessage());
            System.exit(FAILED);
        }
    }

    private static void take(String argument, List<String> names, Map<String, String> properties) {
        if (argument.startsWith("-D")) {
            String[] parts = argument.substring(2).split("=", 2);
            properties.put(parts[0], parts.length > 1 ? parts[1] : "");
        } else if (argument.startsWith("-")) {
            throw new LoopException(
                    "'" + argument + "' is an option of Maven; with the name of a test there is -Dkey=value alone");
        } else {
            names.add(argument);
        }
    }

    private boolean test(List<String> names) throws IOException, InterruptedException {
        List<TestClass> tests = new TestNames(workspace.modules()).find(names);
        List<Module> concerned = workspace.modules().stream()
                .filter(module -> tests.stream().anyMatch(test -> test.module().equals(module)))
                .toList();
        try (FileChannel channel = lockFile();
                FileLock _ = channel.lock()) {
            Trees trees = new Trees(workspace);
            for (Module module : concerned) {
                trees.update(module.tests());
            }
        }
        boolean fine = true;
        for (Module module : concerned) {
            List<TestClass> own =
                    tests.stream().filter(test -> test.module().equals(module)).toList();
            fine &= new TestRun(workspace, module, own, properties).run();
        }
        return fine;
    }

    /** Checks what was not checked before, and runs tests of these names besides. */
    private boolean check(List<String> names) throws IOException, InterruptedException {
        try (FileChannel channel = lockFile();
                FileLock _ = channel.lock()) {
            Trees trees = new Trees(workspace);
            for (Module module : workspace.modules()) {
                trees.update(module.tests());
            }
            System.err.println("Sources checked by the compiler and Error Prone: " + new Check(workspace, trees).run()
                    + " (all others were before)");
        }
        return names.isEmpty() || test(names);
    }

    private static FileChannel lockFile() throws IOException {
        Files.createDirectories(Path.of("target"));
        return FileChannel.open(Path.of("target", "loop.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    }
}
