package io.tributary.security.file;

import io.tributary.security.watch.FileContent;
import io.tributary.security.watch.WatchedFile;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The users in a file, read again when its content changes. Thread-safe. */
public final class WatchedUsers implements AutoCloseable {
    private final WatchedFile<Users> file;

    /** @param names those of the users, in an order */
    private record Users(Map<String, User> byName, List<String> names) {
        Users(Map<String, User> byName) {
            this(byName, List.copyOf(byName.keySet()));
        }
    }

    /**
     * Reads the file, and begins to watch it.
     *
     * @param name the authenticator's name, for the log
     * @throws IllegalArgumentException as {@link UserFile#read}
     */
    public WatchedUsers(String name, Path file) {
        this.file = new FileContent<>(file, () -> new Users(UserFile.read(file))).watch(name);
    }

    /** The user with that name, or null. */
    public @Nullable User get(String userName) {
        return file.get().byName().get(userName);
    }

    /** All users, by name. */
    public Map<String, User> all() {
        return file.get().byName();
    }

    /** A user for a number, the same as long as the file does not change; null when there are none. */
    public @Nullable User any(int number) {
        Users now = file.get();
        return now.names().isEmpty()
                ? null
                : now.byName().get(now.names().get(number % now.names().size()));
    }

    /** Tells of each new set of users, on the thread that has read it. */
    public void onChange(Consumer<Map<String, User>> listener) {
        file.onChange(users -> listener.accept(users.byName()));
    }

    @Override
    public void close() {
        file.close();
    }
}
