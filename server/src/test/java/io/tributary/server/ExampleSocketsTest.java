package io.tributary.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What README.md and the pages in docs start, and at which addresses the kernel says that it listens then. */
@EnabledOnOs(OS.LINUX)
class ExampleSocketsTest {
    private static final String LOOPBACK = "127.0.0.1";
    private static final String OTHER_LOOPBACK = "127.0.0.2";
    private static final List<Path> SOCKET_TABLES = List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));
    private static final String STATE_LISTEN = "0A";
    private static final int V4_DIGITS = 8;
    private static final Path SAMPLE =
            Path.of("..", "samples", "embedding", "src", "main", "java", "com", "example", "platform", "Platform.java");

    @TempDir
    private Path folder;

    /** What other tests of this JVM listen at. */
    private Set<String> before = Set.of();

    @BeforeEach
    void lookFirst() throws IOException {
        before = listeningInodes("self");
    }

    @ParameterizedTest
    @MethodSource("embeddings")
    void embeddedBrokerListensForThisMachineOnly(String example) throws Exception {
        List<String> seen = run(example);

        assertThat(seen).isNotEmpty().containsOnly(LOOPBACK);
    }

    @Test
    void embeddedBrokerListensAtTheHostThatIsNamed() throws Exception {
        List<String> seen = run("""
                try (Broker broker = Broker.start(BrokerConfig.builder(Path.of("data"))
                        .listener(ListenerConfig.tcp("tcp", "127.0.0.2", 1883))
                        .build())) {
                    ...
                }
                """);

        assertThat(seen).containsOnly(OTHER_LOOPBACK);
    }

    @Test
    void sampleListensForThisMachineOnly() throws Exception {
        try (URLClassLoader loader = JavaExamples.compile(List.of(SAMPLE), folder);
                AutoCloseable _ = (AutoCloseable) loader.loadClass("com.example.platform.Platform")
                        .getMethod("start", Path.class, int.class, Map.class)
                        .invoke(null, folder.resolve("data"), 0, Map.of())) {
            assertThat(ownAddresses()).containsOnly(LOOPBACK);
        }
    }

    @ParameterizedTest
    @MethodSource("commands")
    void startedBrokerListensForThisMachineOnlyUnlessAHostIsNamed(String command) throws Exception {
        List<String> arguments = new ArrayList<>(Arrays.stream(command.split(" +"))
                .filter(argument -> argument.startsWith("--tributary."))
                .map(argument -> argument.replace("0.0.0.0", OTHER_LOOPBACK))
                .toList());
        boolean named = arguments.stream().anyMatch(argument -> argument.contains(".host="));
        arguments.addAll(List.of(
                "--tributary.data-dir=" + folder,
                "--tributary.listeners.tcp.port=0",
                "--tributary.listeners.ws.port=0",
                "--server.port=0"));
        try (ChildProcess broker = new ChildProcess(TributaryApplication.class, arguments.toArray(String[]::new))) {
            broker.linesUntilReady();
            List<String> seen = addresses(listeningInodes(Long.toString(broker.pid())));

            assertThat(seen)
                    .as("MQTT over TCP, over WebSocket, and the endpoints")
                    .hasSize(3);
            assertThat(seen).filteredOn(LOOPBACK::equals).hasSize(named ? 2 : 3);
            assertThat(seen).filteredOn(OTHER_LOOPBACK::equals).hasSize(named ? 1 : 0);
        }
    }

    /** Blocks of Java that start a broker alone; a node of a cluster would need Kafka and Redis. */
    static List<String> embeddings() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path page : pages()) {
            JavaExamples.of(page).statements().stream()
                    .filter(block -> block.contains(" Broker.start("))
                    .forEach(found::add);
        }
        assertThat(found)
                .hasSizeGreaterThanOrEqualTo(3)
                .allSatisfy(block -> assertThat(block).contains("..."));
        return found;
    }

    /** Commands that start a broker, each once. */
    static Set<String> commands() throws IOException {
        Set<String> found = matches("(?m)^\\./tributary run((?:\\\\\n|[^\n&])*)").stream()
                .map(command -> command.replace("\\\n", " ").strip())
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(found).contains("").hasSizeGreaterThanOrEqualTo(2);
        return found;
    }

    private static List<String> matches(String pattern) throws IOException {
        List<String> found = new ArrayList<>();
        for (Path page : pages()) {
            Pattern.compile(pattern)
                    .matcher(Files.readString(page))
                    .results()
                    .map((MatchResult result) -> result.group(1))
                    .forEach(found::add);
        }
        return found;
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> docs = Files.list(Path.of("..", "docs"))) {
            return Stream.concat(Stream.of(Path.of("..", "README.md")), docs.sorted())
                    .filter(file -> file.toString().endsWith(".md"))
                    .toList();
        }
    }

    /**
     * Compiles and runs a piece of Java, with free ports and a folder of its own; what it listens at when it calls its
     * body.
     */
    private List<String> run(String example) throws Exception {
        String code = example.replaceAll("\\b1883\\b", "0")
                .replace("Path.of(\"data\")", "Path.of(\"" + folder.resolve("data") + "\")");
        List<String> seen = new ArrayList<>();
        String classes = JavaExamples.of(Path.of("..", "docs", "embedding.md")).classes();
        try (URLClassLoader loader = JavaExamples.compile(classes, code, folder)) {
            Method method = loader.loadClass("Example").getMethod("run", Runnable.class);
            Runnable look = () -> seen.addAll(ownAddresses());
            method.invoke(null, look);
        }
        return seen;
    }

    private List<String> ownAddresses() {
        try {
            Set<String> own = new TreeSet<>(listeningInodes("self"));
            own.removeAll(before);
            return addresses(own);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** The sockets of a process that listen for TCP, by their inodes. */
    private static Set<String> listeningInodes(String process) throws IOException {
        Set<String> listening = rows().map(row -> row[9]).collect(Collectors.toSet());
        Set<String> own = new TreeSet<>();
        try (Stream<Path> open = Files.list(Path.of("/proc", process, "fd"))) {
            for (Path file : open.toList()) {
                String inode = inode(file);
                if (listening.contains(inode)) {
                    own.add(inode);
                }
            }
        }
        return own;
    }

    private static String inode(Path file) {
        try {
            return Files.readSymbolicLink(file).toString().replaceAll("socket:\\[(\\d+)\\]", "$1");
        } catch (IOException closedMeanwhile) {
            return "";
        }
    }

    private static List<String> addresses(Set<String> inodes) throws IOException {
        return rows().filter(row -> inodes.contains(row[9]))
                .map(row -> address(row[1].substring(0, row[1].indexOf(':'))))
                .toList();
    }

    /** The kernel's sockets that listen for TCP, split into columns. */
    private static Stream<String[]> rows() throws IOException {
        List<String> lines = new ArrayList<>();
        for (Path table : SOCKET_TABLES) {
            if (Files.exists(table)) {
                lines.addAll(Files.readAllLines(table));
            }
        }
        return lines.stream().map(line -> line.strip().split("\\s+")).filter(row -> row[3].equals(STATE_LISTEN));
    }

    /** An IPv4 address, also one in an IPv6 socket, from the kernel's hexadecimal in the byte order of the machine. */
    private static String address(String hex) {
        boolean isV4 = hex.length() == V4_DIGITS || hex.startsWith("0000000000000000FFFF0000");
        if (!isV4) {
            return hex;
        }
        int bits = Integer.parseUnsignedInt(hex.substring(hex.length() - V4_DIGITS), 16);
        return (bits & 0xff) + "." + (bits >> 8 & 0xff) + "." + (bits >> 16 & 0xff) + "." + (bits >>> 24);
    }
}
