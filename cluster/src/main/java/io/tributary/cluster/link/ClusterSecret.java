package io.tributary.cluster.link;

import io.tributary.broker.tls.TlsRecorder;
import io.tributary.broker.tls.WatchedFiles;
import io.tributary.cluster.secret.ChangingSecret;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The secret of a cluster: all its nodes know it, and no one else. It never crosses the wire, and shows in no text.
 * There may be two while one takes the place of the other: a node proves itself by the first and accepts both. Any
 * thread.
 */
public final class ClusterSecret {
    /** How short a secret may be, in bytes of UTF-8. Who overhears a handshake can try out secrets at leisure. */
    public static final int MIN_BYTES = 16;

    private static final int MOST_LINES = 2;

    private final @Nullable Watched file;
    private volatile List<LinkKey> keys;

    private ClusterSecret(List<LinkKey> keys) {
        this.keys = keys;
        file = null;
    }

    private ClusterSecret(ChangingSecret<List<LinkKey>> changing) {
        keys = changing.last();
        file = new Watched(changing);
    }

    /**
     * The secret that a text is; best 32 random bytes as base64.
     *
     * @throws IllegalArgumentException when it has fewer than {@value #MIN_BYTES} bytes
     */
    public static ClusterSecret of(String text) {
        return new ClusterSecret(List.of(LinkKey.of(text)));
    }

    /**
     * The secret in a file of one line or two, which the others than its owner and its group cannot read. It changes
     * with the file once {@link #files} are watched; links that are up stay up.
     *
     * @throws IllegalArgumentException when the file cannot be used, or a line has fewer than {@value #MIN_BYTES} bytes
     */
    public static ClusterSecret inFile(Path file) {
        return new ClusterSecret(ChangingSecret.of(file, MOST_LINES, ClusterSecret::keys));
    }

    private static List<LinkKey> keys(List<String> lines) {
        return lines.stream().map(LinkKey::of).toList();
    }

    /** What is to be watched for the secret to change with its file; nothing for one that is in none. */
    public List<WatchedFiles> files() {
        return file == null ? List.of() : List.of(file);
    }

    /** What this node accepts; by the first one it proves itself. */
    List<LinkKey> keys() {
        return keys;
    }

    @Override
    public String toString() {
        return "ClusterSecret";
    }

    /** The file as it is read again and again. */
    private final class Watched implements WatchedFiles {
        private static final String NAME = "cluster secret";

        private final ChangingSecret<List<LinkKey>> changing;
        private volatile TlsRecorder recorder = TlsRecorder.NONE;
        private @Nullable String countedProblem; // of the thread that checks

        Watched(ChangingSecret<List<LinkKey>> changing) {
            this.changing = changing;
        }

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public void record(TlsRecorder newRecorder) {
            recorder = newRecorder;
            newRecorder.watched(NAME, () -> changing.problem() != null);
        }

        @Override
        public void check() {
            List<LinkKey> found = changing.read();
            String problem = changing.problem();
            if (!found.equals(keys)) {
                keys = found;
                recorder.reloaded(NAME, true);
            }
            if (problem != null && !problem.equals(countedProblem)) {
                recorder.reloaded(NAME, false);
            }
            countedProblem = problem;
        }

        @Override
        public List<String> warnings() {
            String problem = changing.problem();
            return problem == null
                    ? List.of()
                    : List.of(NAME + ": the changed file is not used, the old secret stays: " + problem);
        }
    }
}
