package io.tributary.perf.machine;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The heap of a JVM on this machine, from the file of counters that each HotSpot JVM keeps for {@code jstat}. Reading
 * it costs the JVM nothing, and causes no collection.
 */
final class JvmHeap {
    private static final String OLD_GENERATION = "sun.gc.generation.1.space.0.used";

    // Of the file: magic number, byte order, version; where entries begin, and how many there are.
    private static final int MAGIC = 0xCAFEC0C0;
    private static final int BYTE_ORDER = 4;
    private static final int FIRST_ENTRY = 24;
    private static final int ENTRIES = 28;

    // Of an entry: its length, where its name is, how long an array it is, its type, where its value is.
    private static final int NAME = 4;
    private static final int DATA_TYPE = 12;
    private static final int VALUE = 16;
    private static final byte LONG = 'J';

    private JvmHeap() {}

    /**
     * What was in use of the old generation after the latest collection, in bytes; 0 where nobody says: it is no
     * HotSpot JVM, another user's, or one that was told not to keep counters.
     */
    static long oldGenerationBytes(long pid) {
        String user =
                ProcessHandle.of(pid).flatMap(process -> process.info().user()).orElse("");
        Path file = Path.of("/tmp", "hsperfdata_" + user, Long.toString(pid));
        try {
            return Files.isReadable(file) ? counter(ByteBuffer.wrap(Files.readAllBytes(file)), OLD_GENERATION) : 0;
        } catch (IOException | IndexOutOfBoundsException e) {
            return 0; // it has ended, or has just begun
        }
    }

    /**
     * The value of a counter; 0 where there is none of this name.
     *
     * @throws IndexOutOfBoundsException when the file is not complete
     */
    static long counter(ByteBuffer file, String name) {
        if (file.getInt(0) != MAGIC) {
            return 0;
        }
        file.order(file.get(BYTE_ORDER) == 0 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
        byte[] wanted = (name + '\0').getBytes(StandardCharsets.UTF_8);
        int entry = file.getInt(FIRST_ENTRY);
        for (int i = 0; i < file.getInt(ENTRIES); i++) {
            if (file.get(entry + DATA_TYPE) == LONG && hasName(file, entry + file.getInt(entry + NAME), wanted)) {
                return file.getLong(entry + file.getInt(entry + VALUE));
            }
            entry += file.getInt(entry);
        }
        return 0;
    }

    private static boolean hasName(ByteBuffer file, int at, byte[] wanted) {
        return at + wanted.length <= file.limit()
                && file.slice(at, wanted.length).equals(ByteBuffer.wrap(wanted));
    }
}
