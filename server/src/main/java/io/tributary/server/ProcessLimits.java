package io.tributary.server;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.OperatingSystemMXBean;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.broker.network.OpenFiles;
import io.tributary.server.settings.ServerConfig;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/**
 * What this process may take of the machine, or of its container. Sizes are in bytes; 0 for what is not known.
 *
 * @param openFiles how many files and connections may be open at once
 * @param clients how many clients the listeners take
 * @param heap the largest heap
 * @param direct the most memory for the buffers of sockets
 * @param store what the embedded store has for its cache and write buffers
 * @param memory the memory there is
 */
record ProcessLimits(long openFiles, long clients, long heap, long direct, long store, long memory) {
    private static final long FEW_FILES = 4_096;
    private static final int MIB_SHIFT = 20;

    static ProcessLimits of(ServerConfig config) {
        long heap = Runtime.getRuntime().maxMemory();
        return new ProcessLimits(
                Math.max(0, OpenFiles.limit().orElse(0)),
                config.broker().listeners().stream()
                        .map(ListenerConfig::admission)
                        .mapToLong(limits -> limits.maxConnections())
                        .sum(),
                heap,
                direct(heap),
                config.cluster() == null
                        ? config.broker().storage().cacheBytes()
                                + config.broker().storage().writeBufferBytes()
                        : 0,
                ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
                        ? system.getTotalMemorySize()
                        : 0);
    }

    /** How much of the processors is in use at present, by whomever, 0 to 1; negative where that is not known. */
    static double processorsUsed() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
                ? system.getCpuLoad()
                : -1;
    }

    /** Where nothing is said, the JVM allows as much as for the heap. */
    private static long direct(long heap) {
        HotSpotDiagnosticMXBean jvm = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        try {
            long given = jvm == null
                    ? 0
                    : Long.parseLong(jvm.getVMOption("MaxDirectMemorySize").getValue());
            return given == 0 ? heap : given;
        } catch (IllegalArgumentException noSuchOption) {
            return heap;
        }
    }

    /** All of them, in a line. */
    String words() {
        String files =
                openFiles == 0 ? "" : "open files " + openFiles + " (one for each client, at most " + clients + "), ";
        return "limits: " + files + "heap " + mib(heap) + ", direct memory " + mib(direct)
                + (store == 0 ? "" : ", store " + mib(store)) + (memory == 0 ? "" : ", of " + mib(memory));
    }

    /** What will be too little, and what to do about it. */
    List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        if (openFiles > 0 && openFiles < FEW_FILES) {
            warnings.add("the limit of open files is " + openFiles
                    + ", and each client takes one: raise LimitNOFILE= (systemd) or ulimit -n");
        }
        long most = heap + direct + store;
        if (memory > 0 && most > memory) {
            warnings.add("heap, direct memory and store may take " + mib(most) + ", and there are " + mib(memory)
                    + ": lower -Xmx and -XX:MaxDirectMemorySize (as large as the heap unless it is given)"
                    + (store == 0 ? "" : ", or tributary.storage.write-buffer-size and tributary.storage.cache-size"));
        }
        return warnings;
    }

    private static String mib(long bytes) {
        return (bytes >> MIB_SHIFT) + "MB";
    }
}
