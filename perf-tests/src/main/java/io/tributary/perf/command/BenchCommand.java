package io.tributary.perf.command;

import io.tributary.cli.Program;
import io.tributary.cli.Subcommand;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.openjdk.jmh.Main;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

/** The command {@code tributary bench}: JMH, with the microbenchmarks of this module. */
@Command(
        name = "bench",
        customSynopsis = "tributary bench [REGEX] [JMH options]",
        description = {
            "Microbenchmarks, with the memory that each operation allocates; about half an hour for all.",
            "",
            "REGEX chooses by name. Of JMH's options: -l lists the names, -lp the parameters too, -p NAME=VALUE sets one,"
                    + " -f, -wi and -i say how often, -help lists all."
        },
        footer = {"", "Example: tributary bench PublishCodec -p payloadBytes=62"})
public final class BenchCommand implements Subcommand, Runnable {
    @Unmatched
    private List<String> words = new ArrayList<>();

    /** JMH's options have several letters behind one dash. */
    @Override
    public CommandLine commandLine() {
        return new CommandLine(this).setPosixClusteredShortOptionsAllowed(false);
    }

    /** Called by the launcher, with what it was called with after {@code bench}. */
    public static void main(String[] words) {
        Program.main(new BenchCommand(), words);
    }

    @Override
    public void run() {
        // JMH has no option of that name, and shows its help for any unknown one.
        List<String> all = Stream.concat(
                        Stream.of("-prof", "gc"), words.stream().map(word -> word.equals("-help") ? "-h" : word))
                .toList();
        try {
            Main.main(all.toArray(String[]::new));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
