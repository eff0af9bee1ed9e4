package io.tributary.editloop;

/** Why the loop cannot go on, in words for whoever called it. */
final class LoopException extends RuntimeException {
    private static final long serialVersionUID = 1;

    LoopException(String message) {
        super(message);
    }
}
