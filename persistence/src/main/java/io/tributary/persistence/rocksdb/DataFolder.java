package io.tributary.persistence.rocksdb;

import io.tributary.common.event.RecordFormat;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Properties;
import java.util.stream.Stream;

/**
 * A data folder: the file {@code VERSION}, which says in which format the rest is and for how many shards, and the
 * database in {@code db}.
 */
record DataFolder(Path folder) {
    private static final String FORMAT_KEY = "format";
    private static final String SHARDS_KEY = "shards";
    private static final String OPENED_KEY = "opened";

    Path database() {
        return folder.resolve("db");
    }

    /**
     * Creates the folder and its marker, or checks the marker that is there; tells whether that is an older version's,
     * or says of no database yet that it was opened, and {@link #take} is to follow.
     */
    boolean prepare(int shards) {
        try {
            create();
            if (Files.exists(marker())) {
                Properties marker = readMarker();
                int format = check(marker, shards);
                boolean isMarkedOpened = marker.containsKey(OPENED_KEY);
                checkDatabase(isMarkedOpened);
                return format < RecordFormat.NEWEST || !isMarkedOpened;
            }
            checkUnused();
            writeMarker(shards, false);
            return true;
        } catch (IOException e) {
            throw cannotBeUsed(e);
        }
    }

    /**
     * Marks the folder as this version's, whose records an older version cannot read, with a database. To be called
     * when the database is open, so that no older version is running in the folder, and before anything is written.
     */
    void take(int shards) {
        try {
            writeMarker(shards, true);
        } catch (IOException e) {
            throw cannotBeUsed(e);
        }
    }

    private StorageException cannotBeUsed(IOException why) {
        return new StorageException("the data folder " + folder + " cannot be used: " + words(why), why);
    }

    /** What went wrong, without the names of Java's classes, some of which say all there is to say. */
    private static String words(IOException failure) {
        return switch (failure) {
            case FileAlreadyExistsException file -> file.getFile() + " is a file, not a folder";
            case AccessDeniedException file -> file.getFile() + " may not be read or written (permission denied)";
            case FileSystemException file when file.getReason() != null -> file.getFile() + ": " + file.getReason();
            default -> failure.toString();
        };
    }

    /** Tells in which format the folder is. */
    private int check(Properties marker, int shards) {
        int format = number(marker, FORMAT_KEY);
        if (format > RecordFormat.NEWEST) {
            throw new StorageException("the data folder " + folder + " has format " + format
                    + " of a newer version; this version reads formats up to " + RecordFormat.NEWEST);
        }
        int shardsThere = number(marker, SHARDS_KEY);
        if (shardsThere != shards) {
            throw new StorageException("the data folder " + folder + " was created for " + shardsThere
                    + " shards, and the configuration says " + shards + "; the number cannot be changed");
        }
        return format;
    }

    private int number(Properties marker, String key) {
        String text = marker.getProperty(key, "");
        try {
            return Integer.parseInt(text.strip());
        } catch (NumberFormatException e) {
            throw new StorageException("the file " + marker() + " has no usable number of '" + key + "'", e);
        }
    }

    /** Messages and hashes of passwords are not for everybody; a folder that is there stays as its owner made it. */
    private void create() throws IOException {
        if (Files.isDirectory(folder)) {
            return;
        }
        Files.createDirectories(folder.toAbsolutePath().getParent());
        if (folder.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Files.createDirectory(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-x---")));
        } else {
            Files.createDirectory(folder);
        }
    }

    /** A wrong path must not end in a database among other files. */
    private void checkUnused() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            if (files.anyMatch(file -> !file.endsWith("lost+found") && !file.equals(newMarker()))) {
                throw new StorageException("the folder " + folder + " is not empty and no data folder of Tributary");
            }
        }
    }

    /**
     * What is lost must not be taken for what never was: an empty database would be served. Before RocksDB has made a
     * database it has other files in the folder, after a start that was interrupted.
     */
    private void checkDatabase(boolean isMarkedOpened) throws IOException {
        if (!Files.exists(database().resolve("CURRENT")) && (isMarkedOpened || hasData())) {
            throw new StorageException("the data folder " + folder
                    + " has lost its database: restore the whole folder, or empty it to begin anew");
        }
    }

    private boolean hasData() throws IOException {
        if (!Files.isDirectory(database())) {
            return false;
        }
        try (Stream<Path> files = Files.list(database())) {
            return files.map(Path::toString).anyMatch(file -> file.endsWith(".sst") || file.endsWith(".log"));
        }
    }

    private Properties readMarker() throws IOException {
        Properties marker = new Properties();
        try (Reader reader = Files.newBufferedReader(marker())) {
            marker.load(reader);
        }
        return marker;
    }

    private void writeMarker(int shards, boolean isOpened) throws IOException {
        Properties marker = new Properties();
        marker.setProperty(FORMAT_KEY, Integer.toString(RecordFormat.NEWEST));
        marker.setProperty(SHARDS_KEY, Integer.toString(shards));
        if (isOpened) {
            marker.setProperty(OPENED_KEY, "true");
        }
        try (Writer writer = Files.newBufferedWriter(newMarker())) {
            marker.store(writer, "Tributary data folder");
        }
        force(newMarker());
        Files.move(newMarker(), marker(), StandardCopyOption.ATOMIC_MOVE);
        Files.createDirectories(database()); // RocksDB would leave its name in the folder to the operating system
        force(folder);
    }

    /** Brings a file, or the names in a folder, to the disk. */
    private static void force(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) { // a folder cannot be written
            channel.force(true);
        }
    }

    private Path marker() {
        return folder.resolve("VERSION");
    }

    private Path newMarker() {
        return folder.resolve("VERSION.new");
    }
}
