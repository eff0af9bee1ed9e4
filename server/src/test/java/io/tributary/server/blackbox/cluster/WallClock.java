package io.tributary.server.blackbox.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The wall clock of a process, which can be set off while the process runs. A small library does it, which is compiled
 * from {@code wall_clock.c} where there is a C compiler; durations that the process measures stay right. One thread at
 * a time.
 */
final class WallClock {
    private static final String SOURCE = "wall_clock.c";
    private static final int COMPILER_LIMIT_SECONDS = 60;

    private final Path library;
    private final Path offset;

    private WallClock(Path library, Path offset) {
        this.library = library;
        this.offset = offset;
    }

    /**
     * Compiles the library.
     *
     * @return its file, or nothing, and a line that says why, where it cannot be had
     */
    static Optional<Path> library(Path folder) {
        Path library = folder.resolve("wall_clock.so");
        Path source = folder.resolve(SOURCE);
        Path log = folder.resolve("wall_clock.log");
        try (InputStream code =
                Objects.requireNonNull(WallClock.class.getResourceAsStream("/blackbox/" + SOURCE), SOURCE)) {
            Files.copy(code, source);
            Process compiler = new ProcessBuilder(
                            "cc", "-O2", "-shared", "-fPIC", "-o", library.toString(), source.toString(), "-ldl")
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            if (compiler.waitFor(COMPILER_LIMIT_SECONDS, TimeUnit.SECONDS) && compiler.exitValue() == 0) {
                return Optional.of(library);
            }
            compiler.destroyForcibly();
            System.out.println("no clock is set off, for " + SOURCE + " does not compile: " + Files.readString(log));
        } catch (IOException missing) {
            System.out.println("no clock is set off, for there is no C compiler: " + missing.getMessage());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
        return Optional.empty();
    }

    /**
     * A clock that is right so far.
     *
     * @param library see {@link #library}
     * @param offset the file to keep in it how far the clock is off
     */
    static WallClock of(Path library, Path offset) {
        WallClock clock = new WallClock(library, offset);
        clock.setOff(Duration.ZERO);
        return clock;
    }

    /** What the process needs to have this clock. */
    Map<String, String> environment() {
        return Map.of("LD_PRELOAD", library.toString(), "WALL_CLOCK_OFFSET", offset.toString());
    }

    /**
     * Has the clock jump: from now on it is ahead of the right time by so much, or behind it by a negative duration.
     */
    void setOff(Duration ahead) {
        ByteBuffer millis = ByteBuffer.allocate(Long.BYTES)
                .order(ByteOrder.nativeOrder())
                .putLong(ahead.toMillis())
                .flip();
        // The same file, which the process has mapped, and in one write.
        try (var channel = Files.newByteChannel(offset, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.write(millis);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
