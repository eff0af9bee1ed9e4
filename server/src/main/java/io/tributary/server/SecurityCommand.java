package io.tributary.server;

import io.tributary.cli.Program;
import io.tributary.cli.Subcommand;
import io.tributary.server.api.Seed;
import java.io.Serial;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code tributary security}, about files that the broker is to read. */
@Command(name = "security", description = "Look at files of users, rule sets, bans and tenants.")
public final class SecurityCommand implements Subcommand, Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** A file in which something is wrong, in words. */
    private static final class WrongFileException extends RuntimeException {
        @Serial
        private static final long serialVersionUID = 1L;

        private WrongFileException(String words) {
            super(words);
        }
    }

    /** Called by the launcher, with what it was called with after {@code security}. */
    public static void main(String[] words) {
        Program.main(new SecurityCommand(), words);
    }

    @Override
    public boolean explains(Exception failure) {
        return failure instanceof WrongFileException;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "security needs a command: check");
    }

    @Command(
            name = "check",
            description = "Say what is wrong with a file for tributary.security.seed, with line and column.")
    void check(@Parameters(paramLabel = "FILE", description = "The file.") Path file) {
        List<String> problems = new ArrayList<>();
        Seed seed = Seed.read(file, problems);
        if (!problems.isEmpty()) {
            throw new WrongFileException(file + ", " + String.join("\n" + file + ", ", problems));
        }
        spec.commandLine().getOut().println(file + ": " + seed.size() + " objects, nothing is wrong");
        spec.commandLine().getOut().flush();
    }
}
