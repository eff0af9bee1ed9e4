package io.tributary.security.watch;

import io.tributary.common.digest.Sha256;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a file says, read again within seconds of a change of its content; also where a symbolic link is exchanged, as
 * Kubernetes does. A file in which something is wrong changes nothing, with a sentence in the log. Thread-safe.
 *
 * @param <T> what it says
 */
public final class WatchedFile<T> implements Supplier<T>, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WatchedFile.class);
    private static final long PERIOD_MILLIS = 2_000;

    private final String name;
    private final FileContent<T> content;
    private final List<Consumer<T>> listeners = new CopyOnWriteArrayList<>();
    private final ScheduledExecutorService timer;
    private volatile T now;

    // The timer's thread.
    private List<Object> looked = List.of();
    /** Empty until the first look, which takes the file once more: it may have changed since it was read. */
    private byte[] digest = new byte[0];

    private String problem = "";

    WatchedFile(String name, FileContent<T> content) {
        this.name = name;
        this.content = content;
        now = content.read().get();
        timer = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().name("tributary-watch").daemon().factory());
        ScheduledFuture<?> _ =
                timer.scheduleWithFixedDelay(this::look, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** What the file said when it was usable last. Does not block. */
    @Override
    public T get() {
        return now;
    }

    /** Tells of what is new, on the thread that has read it. */
    public void onChange(Consumer<T> listener) {
        listeners.add(listener);
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }

    private void look() {
        try {
            List<Object> seen = state(content.file());
            if (seen.equals(looked)) {
                return;
            }
            byte[] found = Sha256.of(Files.readAllBytes(content.file()));
            if (!Arrays.equals(found, digest)) {
                take(content.read().get());
                digest = found;
            }
            // Only now: a file that could not be used is tried again, for it may only have been unreadable.
            looked = seen;
            problem = "";
        } catch (IllegalArgumentException wrong) {
            warn(String.valueOf(wrong.getMessage()));
        } catch (IOException gone) {
            warn("'" + content.file() + "' cannot be read: " + gone);
        } catch (RuntimeException defect) {
            LOG.error("authenticator '{}': looking at {} failed; this is a defect", name, content.file(), defect);
        }
    }

    private void take(T read) {
        now = read;
        listeners.forEach(listener -> listener.accept(read));
        if (digest.length > 0) {
            LOG.info("authenticator '{}': '{}' has changed, and holds now", name, content.file());
        }
    }

    /** Once for each new reason. */
    private void warn(String reason) {
        if (!reason.equals(problem)) {
            LOG.warn("authenticator '{}': what was read before still holds: {}", name, reason);
        }
        problem = reason;
    }

    /** What tells cheaply that nothing has changed. */
    private static List<Object> state(Path file) throws IOException {
        Path real = file.toRealPath();
        BasicFileAttributes attributes = Files.readAttributes(real, BasicFileAttributes.class);
        return List.of(real, attributes.lastModifiedTime(), attributes.size());
    }
}
