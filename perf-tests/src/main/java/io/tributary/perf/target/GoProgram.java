package io.tributary.perf.target;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A program that is there as a Go module: on the PATH, or installed where Go is.
 *
 * @param name of the program
 * @param module with the package of the program
 * @param built what {@code go install} calls it
 */
record GoProgram(String name, String module, String version, String built) {

    /** Where it is; installs it first where it must, which takes a minute or two. */
    Path find(Path programs) {
        Path installed = programs.resolve(built);
        return Programs.find(name, programs).or(() -> present(installed)).orElseGet(() -> install(programs, installed));
    }

    private static Optional<Path> present(Path installed) {
        return Optional.of(installed).filter(Files::isExecutable);
    }

    private Path install(Path programs, Path installed) {
        Path go = Programs.find("go")
                .orElseThrow(() -> new TargetException(name + " is missing: put it on the PATH, or install Go (apt-get"
                        + " install golang-go) and it will be built from " + module));
        String said = Programs.run(
                List.of(go.toString(), "install", module + "@" + version),
                Map.of("GOBIN", programs.toString(), "GOFLAGS", "-mod=mod"));
        if (!Files.isExecutable(installed)) {
            throw new TargetException("go install " + module + "@" + version + " failed: " + said);
        }
        return installed;
    }
}
