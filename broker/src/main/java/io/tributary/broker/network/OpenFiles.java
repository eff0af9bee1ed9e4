package io.tributary.broker.network;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.OptionalLong;

/** The file descriptors of this process. */
public final class OpenFiles {
    private OpenFiles() {}

    /** How many it may have open at once; nothing where the system has no such limit. */
    public static OptionalLong limit() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                ? OptionalLong.of(system.getMaxFileDescriptorCount())
                : OptionalLong.empty();
    }

    /** The same as a number, the largest there is where the system has no limit. */
    static int most() {
        long known = limit().orElse(0);
        return known <= 0 ? Integer.MAX_VALUE : (int) Math.min(Integer.MAX_VALUE, known);
    }
}
