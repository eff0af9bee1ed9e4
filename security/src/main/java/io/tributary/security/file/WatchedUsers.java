package io.tributary.security.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The users in a file, read again when its content changes; also where a symbolic link is exchanged, as Kubernetes
 * does. A file in which something is wrong changes nothing, with a sentence in the log. Thread-safe.
 */
public final class WatchedUsers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WatchedUsers.class);
    private static final long PERIOD_MILLIS = 2_000;

    private final String name;
    private final Path file;
    private final List<Consumer<Map<String, User>>> listeners = new CopyOnWriteArrayList<>();
    private final ScheduledExecutorService timer;
    private volatile Map<String, User> users;
    private volatile List<String> names;

    // The timer's thread.
    private @Nullable List<Object> looked;
    private byte[] digest;

    /**
     * Reads the file, and begins to watch it.
     *
     * @param name the authenticator's name, for the log
     * @throws IllegalArgumentException as {@link UserFile#read}
     */
    public WatchedUsers(String name, Path file) {
        this.name = name;
        this.file = file;
        users = Map.of();
        names = List.of();
        digest = new byte[0];
        take(UserFile.read(file));
        timer = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().name("tributary-users").daemon().factory());
        ScheduledFuture<?> _ =
                timer.scheduleWithFixedDelay(this::look, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** The user with that name, or null. */
    public @Nullable User get(String userName) {
        return users.get(userName);
    }

    /** A user for a number, the same as long as the file does not change; null when there are none. */
    public @Nullable User any(int number) {
        List<String> now = names;
        return now.isEmpty() ? null : users.get(now.get(number % now.size()));
    }

    /** Tells of each new set of users, on the thread that has read it. */
    public void onChange(Consumer<Map<String, User>> listener) {
        listeners.add(listener);
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }

    private void take(Map<String, User> read) {
        users = read;
        names = new ArrayList<>(read.keySet());
        listeners.forEach(listener -> listener.accept(read));
    }

    private void look() {
        try {
            List<Object> seen = state();
            if (seen.equals(looked)) {
                return;
            }
            byte[] content = Files.readAllBytes(file);
            byte[] now = sha256(content);
            boolean first = looked == null;
            looked = seen;
            if (Arrays.equals(now, digest)) {
                return;
            }
            digest = now;
            Map<String, User> read = UserFile.parse(file, content);
            take(read);
            if (!first) {
                LOG.info("authenticator '{}': {} users read from {}", name, read.size(), file);
            }
        } catch (IllegalArgumentException wrong) {
            LOG.warn("authenticator '{}': the users stay as they were: {}", name, wrong.getMessage());
        } catch (IOException gone) {
            LOG.warn(
                    "authenticator '{}': the users stay as they were: {} cannot be read: {}",
                    name,
                    file,
                    gone.toString());
        } catch (RuntimeException defect) {
            LOG.error("authenticator '{}': looking at {} failed; this is a defect", name, file, defect);
        }
    }

    /** What tells cheaply that nothing has changed. */
    private List<Object> state() throws IOException {
        Path real = file.toRealPath();
        BasicFileAttributes attributes = Files.readAttributes(real, BasicFileAttributes.class);
        return List.of(real, attributes.lastModifiedTime(), attributes.size());
    }

    private static byte[] sha256(byte[] content) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(content);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
