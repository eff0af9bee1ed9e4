package io.tributary.perf.command;

/** What the commands that measure end with, beside those of the program. */
final class ExitCodes {
    /** All went well. */
    static final int DONE = 0;

    /** Something could not be run, or nothing held. */
    static final int FAILED = 1;

    /** The load tool was the bottleneck. */
    static final int BOTTLENECK = 3;

    /** Messages were lost. */
    static final int LOST = 4;

    private ExitCodes() {}
}
