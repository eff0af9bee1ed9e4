package io.tributary.perf.command;

import io.tributary.perf.result.RunResult;
import java.util.List;

/** What the commands that measure end with, beside those of the program. */
final class ExitCodes {
    /** All went well. */
    static final int DONE = 0;

    /** Something could not be run, or nothing held. */
    static final int FAILED = 1;

    /** The load tool was the bottleneck. */
    static final int BOTTLENECK = 3;

    /** Messages were lost, or refused. */
    static final int LOST = 4;

    private ExitCodes() {}

    /** Of runs that are valid: whether all came that had to. */
    static int of(List<RunResult> runs) {
        return runs.stream().allMatch(run -> run.unaccounted() == 0 && run.refused() == 0) ? DONE : LOST;
    }
}
