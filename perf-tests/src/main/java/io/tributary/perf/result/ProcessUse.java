package io.tributary.perf.result;

import com.fasterxml.jackson.annotation.JsonIgnore;
import org.jspecify.annotations.Nullable;

/**
 * What a process took in a step.
 *
 * @param cpuSeconds of all its threads, in the kernel too
 * @param rssBeginMegabytes its memory, as the system counts it, at the beginning of the step
 * @param threads at the end
 * @param files open ones, at the end
 * @param writtenMegabytes what it caused to be written to a disk, in the step or later, as the system counts it (whole
 *     pages, 4 KiB each); null where nobody says
 * @param sentMegabytes what it sent over any network; null where nobody says
 * @param elsewhere whether it is a node or a runner that was asked, and may be on another machine
 */
public record ProcessUse(
        String name,
        double cpuSeconds,
        double rssBeginMegabytes,
        double rssEndMegabytes,
        int threads,
        int files,
        @Nullable Double writtenMegabytes,
        @Nullable Double sentMegabytes,
        boolean elsewhere) {

    /** Whether it is one of the load tool's. */
    @JsonIgnore
    public boolean isOfTool() {
        return RunResult.isTool(name);
    }
}
