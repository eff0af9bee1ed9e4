package io.tributary.server.advisories;

import io.tributary.cli.Subcommand;
import io.tributary.cli.UsageException;
import io.tributary.server.advisories.AcceptedAdvisories.Accepted;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tributary advisories}: which known vulnerabilities the libraries of this program have. */
@Command(name = "advisories")
public final class AdvisoriesCommand implements Subcommand, Callable<Integer> {
    private static final int OPEN = 1;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "DIR", description = "The database.")
    private Path database = Path.of("");

    @Option(
            names = "--sbom",
            paramLabel = "FILE",
            description = "A bill of materials in the format CycloneDX, repeated for several (those of this program,"
                    + " lib/*.cdx.json).")
    private List<Path> bills = new ArrayList<>();

    @Option(
            names = "--accepted",
            paramLabel = "FILE",
            description = "What is accepted, a line for each: ID DATE REASON (lib/accepted-advisories.txt).")
    private @Nullable Path accepted;

    /** A library with an advisory about it. */
    private record Finding(Advisory advisory, Library library) {}

    @Override
    public CommandLine commandLine() {
        CommandLine line = new CommandLine(this);
        line.getCommandSpec()
                .usageMessage()
                .description(
                        "Compares the libraries of this program, as its bill of materials lists them, with a database of"
                                + " known vulnerabilities: a folder with JSON files in the format OSV, such as the archive of"
                                + " the ecosystem Maven, unpacked. Nothing is downloaded.",
                        "",
                        "Exit codes: 0 nothing is open, 1 something is, or a file cannot be read, 2 called wrongly, as"
                                + " without a database.");
        return line;
    }

    @Override
    public boolean explains(Exception failure) {
        return failure instanceof IOException || failure instanceof IllegalArgumentException;
    }

    @Override
    public Integer call() throws IOException {
        List<Path> files = entries();
        List<Library> libraries = libraries();
        AcceptedAdvisories known =
                AcceptedAdvisories.of(existing(accepted == null ? shipped("accepted-advisories.txt") : accepted));
        PrintWriter out = spec.commandLine().getOut();
        Set<String> unused = new HashSet<>(known.byId().keySet());
        int open = 0;
        int accepted = 0;
        for (Finding finding : findings(files, libraries)) {
            Optional<String> name = known.nameOf(finding.advisory());
            out.println(words(finding));
            if (name.isPresent()) {
                accepted++;
                unused.remove(name.get());
                Accepted why = Objects.requireNonNull(known.byId().get(name.get()));
                out.println("    accepted on " + why.date() + ": " + why.reason());
            } else {
                open++;
            }
        }
        unused.stream()
                .sorted()
                .forEach(id -> out.println(
                        id + " is accepted, and nothing in the database about these libraries: the" + " line can go"));
        out.printf(
                Locale.ROOT,
                "%d libraries, %d entries in %s: %d open, %d accepted%n",
                libraries.size(),
                files.size(),
                database,
                open,
                accepted);
        out.flush();
        return open == 0 ? 0 : OPEN;
    }

    private List<Library> libraries() throws IOException {
        Set<Library> all = new LinkedHashSet<>();
        for (Path bill : bills.isEmpty() ? shippedBills() : bills) {
            all.addAll(Library.of(existing(bill)));
        }
        return List.copyOf(all);
    }

    private static List<Path> shippedBills() throws IOException {
        try (Stream<Path> lib = Files.list(shipped("."))) {
            List<Path> found = lib.filter(file -> file.toString().endsWith(".cdx.json"))
                    .sorted()
                    .toList();
            return found.isEmpty() ? List.of(shipped("tributary-server.cdx.json")) : found;
        }
    }

    private List<Path> entries() throws IOException {
        String form = "it must be a folder with JSON files in the format OSV; nothing was compared";
        if (!Files.isDirectory(database)) {
            throw new UsageException("there is no database in '" + database + "': " + form);
        }
        try (Stream<Path> inside = Files.walk(database)) {
            List<Path> files = inside.filter(file -> file.toString().endsWith(".json"))
                    .sorted()
                    .toList();
            if (files.isEmpty()) {
                throw new UsageException(
                        "there is no database in '" + database + "', and no JSON file at all: " + form);
            }
            return files;
        }
    }

    private static List<Finding> findings(List<Path> files, List<Library> libraries) throws IOException {
        List<Finding> findings = new ArrayList<>();
        for (Path file : files) {
            Advisory advisory;
            try {
                advisory = Advisory.parse(Files.readString(file));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("'" + file + "' " + e.getMessage(), e);
            }
            libraries.stream()
                    .filter(advisory::concerns)
                    .forEach(library -> findings.add(new Finding(advisory, library)));
        }
        return findings;
    }

    private static String words(Finding finding) {
        Advisory advisory = finding.advisory();
        String aliases = advisory.aliases().isEmpty() ? "" : " (" + String.join(", ", advisory.aliases()) + ")";
        String remedy = advisory.fixedIn(finding.library())
                .map(version -> ", repaired in " + version)
                .orElse(", nowhere repaired");
        return advisory.id() + aliases + ": " + finding.library() + remedy + ": " + advisory.summary();
    }

    private static Path existing(Path file) {
        if (!Files.isRegularFile(file)) {
            throw new UsageException("there is no file '" + file + "'; nothing was compared");
        }
        return file;
    }

    /** The file of that name beside the jar of this class. */
    private static Path shipped(String name) {
        try {
            Path jar = Path.of(AdvisoriesCommand.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            return jar.resolveSibling(name);
        } catch (URISyntaxException e) {
            throw new IllegalStateException("a jar at no place", e);
        }
    }
}
