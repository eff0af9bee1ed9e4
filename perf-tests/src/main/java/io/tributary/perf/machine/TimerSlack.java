package io.tributary.perf.machine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How late Linux may end a thread's waiting, to end several at once: 50 microseconds, unless the thread wants it
 * otherwise.
 */
public final class TimerSlack {
    private static final String NANOS = "1"; // 0 would be the default

    private TimerSlack() {}

    /**
     * Has the calling thread wait no longer than it asks for, as far as the system can. Threads and processes that it
     * starts have that from it.
     *
     * @return false where the system does not let itself be told: waiting ends later, as before
     */
    public static boolean minimize() {
        try {
            Files.writeString(ofThisThread(), NANOS);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    static Path ofThisThread() throws IOException {
        // /proc/thread-self has no such file, /proc/PID has, and takes the number of a thread.
        Path thread = Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName();
        return Path.of("/proc", thread.toString(), "timerslack_ns");
    }
}
