package io.tributary.localcluster;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads what a server has written, a bounded piece of it. */
final class LogFile {
    /** More than any of our servers writes until it is ready. */
    private static final int READ_LIMIT_BYTES = 1 << 20;

    private static final int END_BYTES = 6000;

    private LogFile() {}

    /** What was written from this byte on, at most the first mebibyte of it; empty where there is no file. */
    static String since(Path log, long start) {
        return read(log, start);
    }

    /** The last lines, a few thousand characters. */
    static String end(Path log) {
        try {
            long size = Files.exists(log) ? Files.size(log) : 0;
            return size <= END_BYTES ? read(log, 0) : "... " + read(log, size - END_BYTES);
        } catch (IOException e) {
            return "(cannot be read: " + e + ")";
        }
    }

    private static String read(Path log, long start) {
        if (!Files.exists(log)) {
            return "";
        }
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
            byte[] bytes = new byte[(int) Math.clamp(file.length() - start, 0L, READ_LIMIT_BYTES)];
            file.seek(start);
            file.readFully(bytes);
            return new String(bytes, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new LocalClusterException("cannot read " + log, e);
        }
    }
}
