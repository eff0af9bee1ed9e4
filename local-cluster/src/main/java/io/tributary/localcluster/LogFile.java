package io.tributary.localcluster;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads what a server has written, a bounded piece of it at a time. */
final class LogFile {
    /** What {@link #search} returns for a text that is there. */
    static final long FOUND = -1;

    private static final int READ_LIMIT_BYTES = 1 << 20;
    private static final int END_BYTES = 6000;

    private LogFile() {}

    /**
     * Looks for a text in what was written from this byte on.
     *
     * @return {@link #FOUND}, or the byte from which on to look next time
     */
    static long search(Path log, long start, String text) {
        byte[] wanted = text.getBytes(StandardCharsets.UTF_8);
        long position = start;
        while (true) {
            byte[] bytes = read(log, position);
            if (contains(bytes, wanted)) {
                return FOUND;
            }
            position += Math.max(0, bytes.length - wanted.length + 1); // its beginning may be there already
            if (bytes.length < READ_LIMIT_BYTES) {
                return position;
            }
        }
    }

    /** A character a byte, so that no piece begins or ends within one. */
    private static boolean contains(byte[] bytes, byte[] wanted) {
        return new String(bytes, StandardCharsets.ISO_8859_1).contains(new String(wanted, StandardCharsets.ISO_8859_1));
    }

    /** The last lines of what was written from this byte on, a few thousand characters. */
    static String end(Path log, long start) {
        try {
            long size = Files.exists(log) ? Files.size(log) : 0;
            if (size <= start) {
                return "(it has written nothing)";
            }
            boolean all = size - start <= END_BYTES;
            byte[] bytes = read(log, all ? start : size - END_BYTES);
            return (all ? "" : "... ") + new String(bytes, StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "(cannot be read: " + e + ")";
        }
    }

    private static byte[] read(Path log, long start) {
        if (!Files.exists(log)) {
            return new byte[0];
        }
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
            byte[] bytes = new byte[(int) Math.clamp(file.length() - start, 0L, READ_LIMIT_BYTES)];
            file.seek(start);
            file.readFully(bytes);
            return bytes;
        } catch (IOException e) {
            throw new LocalClusterException("cannot read " + log, e);
        }
    }
}
