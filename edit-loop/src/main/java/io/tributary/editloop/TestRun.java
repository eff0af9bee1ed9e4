package io.tributary.editloop;

import io.tributary.editloop.TestNames.TestClass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Runs tests of one module in a JVM of their own, with the options that Maven gives them. */
final class TestRun {
    private static final String RUNNER = "org.junit.platform.console.ConsoleLauncher";
    private static final List<String> STARTS_SOON = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

    private final Workspace workspace;
    private final Module module;
    private final List<TestClass> tests;
    private final Map<String, String> properties;

    /** The properties are those of the command line, and go to the tests. */
    TestRun(Workspace workspace, Module module, List<TestClass> tests, Map<String, String> properties) {
        this.workspace = workspace;
        this.module = module;
        this.tests = List.copyOf(tests);
        this.properties = Map.copyOf(properties);
    }

    /** Says whether all went well, and there were tests. */
    boolean run() throws IOException, InterruptedException {
        Path output = module.tests().target("loop-output.txt").toAbsolutePath();
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvmOptions());
        command.addAll(List.of("-cp", classPath(), RUNNER));
        command.addAll(runnerOptions(output));
        Files.deleteIfExists(output);
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(module.directory().toAbsolutePath().toFile())
                .inheritIO();
        workspace
                .root()
                .surefireMap("environmentVariables")
                .orElse(Map.of())
                .forEach((name, value) -> builder.environment().put(name, resolve(value)));
        Process process = builder.start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
        int status = process.waitFor();
        if (status != 0) {
            System.err.println("What the tests of " + module.name() + " printed: "
                    + Path.of("").toAbsolutePath().relativize(output));
        }
        return status == 0;
    }

    private List<String> jvmOptions() {
        List<String> options = new ArrayList<>(STARTS_SOON);
        options.addAll(words(workspace.root().surefire("argLine").orElse("")));
        module.pom()
                .surefireMap("systemPropertyVariables")
                .or(() -> workspace.root().surefireMap("systemPropertyVariables"))
                .orElse(Map.of())
                .forEach((name, value) -> options.add("-D" + name + "=" + resolve(value)));
        options.add("-Dbasedir=" + module.directory().toAbsolutePath());
        properties.forEach((name, value) -> options.add("-D" + name + "=" + value));
        return options;
    }

    private List<String> runnerOptions(Path output) {
        List<String> options = new ArrayList<>(List.of(
                "execute",
                "--disable-banner",
                "--fail-if-no-tests",
                "--include-classname=.*",
                "--redirect-stdout=" + output,
                "--redirect-stderr=" + output));
        if (tests.size() > 1) {
            options.add("--details=summary");
        }
        if (!Boolean.getBoolean("editloop.terminal")) {
            options.addAll(List.of("--disable-ansi-colors", "--details-theme=ascii"));
        }
        workspace
                .root()
                .surefire("configurationParameters")
                .orElse("")
                .lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .forEach(line -> options.add("--config=" + resolve(line).replaceFirst("\\s*=\\s*", "=")));
        tests.stream().map(TestClass::name).distinct().forEach(name -> options.add("--select-class=" + name));
        if (tests.stream().anyMatch(test -> !test.methods().isEmpty())) {
            tests.forEach(test -> options.add("--include-methodname=" + methodPattern(test)));
        }
        return options;
    }

    /** The runner matches it with names such as {@code io.tributary.SomeTest$Nested#method}. */
    private static String methodPattern(TestClass test) {
        return "\\Q" + test.name() + "\\E(\\$[^#]*)?#"
                + TestNames.globText(test.methods().isEmpty() ? "*" : test.methods());
    }

    private String classPath() throws IOException {
        List<Path> path = new ArrayList<>(List.of(module.tests().classes()));
        module.tests().resources().stream().filter(Files::isDirectory).forEach(path::add);
        path.addAll(workspace.classPath(module.tests()));
        Stream<Path> runner =
                Dependency.read(workspace.directory().resolve("edit-loop/target/dependencies.txt")).stream()
                        .filter(dependency -> !dependency.isOurs())
                        .map(Dependency::file);
        return Javac.joined(Stream.concat(path.stream(), runner.filter(file -> !path.contains(file)))
                .toList());
    }

    private List<String> words(String text) {
        return Arrays.stream(resolve(text).strip().split("\\s+", -1))
                .filter(word -> !word.isEmpty())
                .toList();
    }

    private String resolve(String text) {
        return workspace.resolve(module, text);
    }
}
