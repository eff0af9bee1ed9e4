package io.tributary.perf.scenario;

import io.tributary.cli.UsageException;

/** A scenario cannot be used; the message says where and why. */
public final class ScenarioException extends UsageException {
    private static final long serialVersionUID = 1L;

    /** With what is wrong. */
    public ScenarioException(String message) {
        super(message);
    }

    /** With what is wrong, and what found it. */
    public ScenarioException(String message, Throwable cause) {
        super(message, cause);
    }
}
