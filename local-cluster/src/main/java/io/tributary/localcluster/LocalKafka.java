package io.tributary.localcluster;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Apache Kafka in KRaft mode: one broker or three, each of them a controller too, each a process of its own.
 *
 * <p>Server {@code i} has {@code node.id} {@code i}. Topics are on all brokers and want two in-sync replicas (with one
 * broker: one); none is made by itself. A broker that is gone is fenced within about three seconds. The settings are in
 * {@code server.properties} of each server's directory, which is written anew at each start.
 */
public final class LocalKafka extends LocalServers {
    private static final String SERVER = "kafka.Kafka";
    private static final String FORMATTER = "kafka.tools.StorageTool";
    private static final Duration READY_LIMIT = Duration.ofSeconds(60);

    /** What a disk that is to be full has left. */
    private static final int ROOM_BYTES = 4000;

    /** How long ago a log was written to that is in use. */
    private static final Duration RECENTLY = Duration.ofSeconds(5);

    private final Path directory;
    private final List<Integer> controllerPorts;
    private final KafkaAccess access;

    private LocalKafka(Builder builder, List<ServerProcess> servers, List<Integer> ports) {
        super(servers, ports.subList(0, servers.size()));
        this.directory = builder.directory;
        this.controllerPorts = ports.subList(servers.size(), ports.size());
        this.access = new KafkaAccess(builder.authority, builder.admin);
    }

    /**
     * One broker on a free port that all tests of this JVM share, started by the first call. Tests keep apart by names
     * of topics and groups of their own, and leave it running.
     */
    public static LocalKafka shared() {
        return SharedKafka.INSTANCE;
    }

    /** Brokers that keep their data in this directory; one on a free port, bound to this JVM, unless more is said. */
    public static Builder in(Path directory) {
        return new Builder(directory);
    }

    /** The brokers' addresses, for {@code bootstrap.servers}. */
    public String bootstrapServers() {
        return addresses();
    }

    /**
     * Leaves server {@code i} hardly any room: until it ends, it can make no file some kilobytes longer than the
     * longest log that it writes to at the moment. A write that does not fit is cut off, as on a full disk. Needs
     * Linux.
     */
    public void fillDisk(int i) {
        long recent = System.currentTimeMillis() - RECENTLY.toMillis();
        try (Stream<Path> files = Files.walk(home(directory, i).resolve("data"))) {
            long longest = files.filter(file -> file.toString().endsWith(".log"))
                    .map(Path::toFile)
                    .filter(file -> file.lastModified() >= recent)
                    .mapToLong(File::length)
                    .max()
                    .orElse(0);
            process(i).limitFiles(longest + ROOM_BYTES);
        } catch (IOException e) {
            throw new LocalClusterException(directory + " cannot be read", e);
        }
    }

    /** How long the newest file is of the log of a partition, {@code topic-0} say, at server {@code i}. */
    public long logBytes(int i, String partition) {
        return newestLog(i, partition).length();
    }

    /**
     * Cuts the newest file of a partition's log at server {@code i}, which does not run: as a server comes back that
     * lost power before the end of it was on the disk.
     */
    public void cutLog(int i, String partition, long bytes) {
        try (FileChannel log = FileChannel.open(newestLog(i, partition).toPath(), StandardOpenOption.WRITE)) {
            log.truncate(bytes);
        } catch (IOException e) {
            throw new LocalClusterException(partition + " cannot be cut", e);
        }
    }

    private File newestLog(int i, String partition) {
        File[] files = home(directory, i)
                .resolve("data")
                .resolve(partition)
                .toFile()
                .listFiles((_, name) -> name.endsWith(".log"));
        return Arrays.stream(files == null ? new File[0] : files)
                .max(Comparator.naturalOrder())
                .orElseThrow(() -> new LocalClusterException("kafka-" + i + " has no log of " + partition));
    }

    @Override
    void prepare(int i) {
        Path home = home(directory, i);
        KafkaSettings settings = new KafkaSettings(i, ports(), controllerPorts, home.resolve("data"), access);
        Path file = home.resolve("server.properties");
        try {
            Files.createDirectories(home);
            PrivateFile.write(
                    file,
                    settings.all().entrySet().stream()
                            .map(setting ->
                                    setting.getKey() + "=" + setting.getValue().replace("\\", "\\\\"))
                            .toList());
            KafkaJvm.write(home, SERVER, file.toString());
            if (!Files.exists(settings.data().resolve("meta.properties"))) {
                format(home, file);
            }
        } catch (IOException e) {
            throw new LocalClusterException(home + " cannot be used", e);
        }
    }

    private void format(Path home, Path settings) throws IOException {
        List<String> arguments =
                new ArrayList<>(List.of("format", "--cluster-id", clusterId(), "--config", settings.toString()));
        arguments.addAll(access.format());
        KafkaJvm.write(home, FORMATTER, arguments.toArray(String[]::new));
        Commands.run(KafkaJvm.command(home, FORMATTER));
    }

    /** The same for all brokers and over restarts, as Kafka writes it: a UUID in Base64. */
    private String clusterId() throws IOException {
        Path file = directory.resolve("kafka.cluster-id");
        if (!Files.exists(file)) {
            UUID id = UUID.randomUUID();
            ByteBuffer bytes = ByteBuffer.allocate(16)
                    .putLong(id.getMostSignificantBits() >>> 1) // an identifier that begins with a dash is refused
                    .putLong(id.getLeastSignificantBits());
            Files.writeString(file, Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array()));
        }
        return Files.readString(file);
    }

    @Override
    void awaitReady(int i) {
        // Written once the controller has let the broker in.
        process(i).awaitReady(() -> process(i).hasLogged("Kafka Server started"), READY_LIMIT);
    }

    private static Path home(Path directory, int i) {
        return directory.resolve("kafka-" + i);
    }

    /** What is to be decided before the brokers start. */
    public static final class Builder {
        private final Path directory;
        private int brokers = 1;
        private int basePort;
        private @Nullable LocalAuthority authority;
        private @Nullable AdminUser admin;
        private Lifetime lifetime = Lifetime.BOUND;

        private Builder(Path directory) {
            this.directory = directory.toAbsolutePath().normalize();
        }

        /** One, three or five. */
        public Builder brokers(int count) {
            if (count != 1 && count != 3 && count != 5) {
                throw new IllegalArgumentException("one Kafka broker, three or five, not " + count);
            }
            brokers = count;
            return this;
        }

        /** The first of as many ports as there are brokers, and as many behind for the quorum; 0 for any free ones. */
        public Builder basePort(int port) {
            basePort = port;
            return this;
        }

        /** Has connections of clients encrypted, with a certificate of this authority; without it they are not. */
        public Builder tls(LocalAuthority chosen) {
            authority = chosen;
            return this;
        }

        /**
         * The user who may do anything, by SCRAM-SHA-512, and can give others a password and rights (ACLs), which
         * nobody has at first; without it, everybody on this machine may do anything.
         */
        public Builder admin(AdminUser chosen) {
            admin = chosen;
            return this;
        }

        /** How long the brokers live when nobody stops them. */
        public Builder lifetime(Lifetime chosen) {
            lifetime = chosen;
            return this;
        }

        /** Brokers that are not started. */
        LocalKafka build() {
            List<Integer> ports = Ports.from(basePort, 2 * brokers);
            List<ServerProcess> servers =
                    IntStream.rangeClosed(1, brokers).mapToObj(this::process).toList();
            return new LocalKafka(this, servers, ports);
        }

        private ServerProcess process(int i) {
            Path home = home(directory, i);
            List<String> command = KafkaJvm.command(home, SERVER);
            return new ServerProcess(
                    "kafka-" + i, command, command.getLast(), directory.resolve("kafka-" + i + ".log"), lifetime);
        }

        /**
         * Starts the brokers and waits until all take part.
         *
         * @throws LocalClusterException if one does not; none is left running then
         */
        public LocalKafka start() {
            LocalKafka kafka = build();
            kafka.startAllOrNone();
            return kafka;
        }
    }
}
