package io.tributary.editloop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.TimeUnit;

/** When a file was written last, and its bytes: a file that has another stamp than before may have another content. */
record Stamp(long modifiedNanos, long size) {
    /** What no file has. */
    static final Stamp CHANGED = new Stamp(-1, -1);

    static Stamp of(Path file) throws IOException {
        BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        return new Stamp(attributes.lastModifiedTime().to(TimeUnit.NANOSECONDS), attributes.size());
    }
}
