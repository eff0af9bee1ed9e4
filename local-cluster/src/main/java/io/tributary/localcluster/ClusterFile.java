package io.tributary.localcluster;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Optional;

/**
 * What a directory remembers of its cluster: {@code cluster.json}. A process identifier in it may be out of date.
 *
 * @param pids by name, of each process that was started and not seen to end
 */
record ClusterFile(ClusterLayout layout, Map<String, Long> pids) {
    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    ClusterFile {
        pids = Map.copyOf(pids);
    }

    /** That of this directory; nothing if there has been no cluster. */
    static Optional<ClusterFile> read(Path directory) {
        Path file = file(directory);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            return Optional.of(JSON.readValue(file.toFile(), ClusterFile.class));
        } catch (IOException e) {
            throw new LocalClusterException(file + " cannot be read", e);
        }
    }

    /** Replaces that of this directory, as a whole. */
    void write(Path directory) {
        Path file = file(directory);
        Path draft = directory.resolve("cluster.json.new");
        try {
            JSON.writeValue(draft.toFile(), this);
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new LocalClusterException(file + " cannot be written", e);
        }
    }

    private static Path file(Path directory) {
        return directory.resolve("cluster.json");
    }
}
